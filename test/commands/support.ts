import { main } from "../../provider/commands/program";

/** Surroundings of a command line, which a test may set. */
export interface Surroundings {
  readonly env?: Record<string, string>;
  readonly folder?: string;
  readonly now?: () => number;
  readonly execute?: (program: string, args: readonly string[], folder: string) => Promise<string>;
  readonly every?: (ms: number, run: () => void) => () => void;
  readonly terminal?: { columns(): number };
  readonly stdin?: AsyncIterable<Uint8Array | string>;
  readonly stop?: AbortSignal;
  readonly graceMs?: number;
  /** Called after each text, with all texts until then. */
  readonly heard?: (said: { readonly out: string; readonly err: string }) => void;
}

/** Runs a command line until it ends. */
export async function run(args: readonly string[], { env = {}, heard, ...surroundings }: Surroundings = {}) {
  const said = { out: "", err: "" };
  const say = (to: "out" | "err") => (text: string) => {
    said[to] += text;
    heard?.(said);
  };
  const io = {
    out: say("out"),
    err: say("err"),
    // A home where nothing is found or kept.
    env: { HOME: "/dev/null", ...env },
    stop: new AbortController().signal,
    ...surroundings,
  };
  const code = await main(args, io);
  return { code, ...said };
}

/** The help of every command, by its words; those that help does not show are not among them. */
export async function helpOfAll(): Promise<Map<string, string>> {
  const helps = new Map<string, string>();
  const collect = async (words: readonly string[]): Promise<void> => {
    const { code, out } = await run([...words, "--help"]);
    if (code !== 0) throw new Error(`${words.join(" ")} --help ends with ${code}.`);
    helps.set(words.join(" "), out);
    const [, list = ""] = /\nCommands:\n(.*?)(?:\n\n|$)/s.exec(out) ?? [];
    const below = [...list.matchAll(/^ {2}([a-z]+)/gm)].flatMap(([, name]) => name ?? []);
    for (const name of below) if (!["help", "version"].includes(name)) await collect([...words, name]);
  };
  await collect([]);
  return helps;
}
