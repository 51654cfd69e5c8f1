import { main } from "../../provider/commands/program";

/** What a command line says of its surroundings. */
export interface Surroundings {
  readonly env?: Record<string, string>;
  readonly folder?: string;
  readonly now?: () => number;
  readonly execute?: (program: string, args: readonly string[], folder: string) => Promise<string>;
  readonly every?: (ms: number, run: () => void) => () => void;
  readonly terminal?: { columns(): number };
  readonly stdin?: AsyncIterable<Uint8Array | string>;
  readonly stop?: AbortSignal;
}

/** Runs a command line until it ends. */
export async function run(args: readonly string[], { env = {}, ...surroundings }: Surroundings = {}) {
  const [out, err]: [string[], string[]] = [[], []];
  const io = {
    out: (text: string) => void out.push(text),
    err: (text: string) => void err.push(text),
    env,
    stop: new AbortController().signal,
    ...surroundings,
  };
  const code = await main(args, io);
  return { code, out: out.join(""), err: err.join("") };
}
