import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Block, blocksOf } from "./markdown";

/** Commands of guides and examples that no test types as they stand, with the reason. All others are run, in the order of their page. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  "pulumi package add node_modules/pulumi-packetfilter/plugin/pulumi-resource-packetfilter":
    "asks language hosts of today, which Go cannot build; tools/pulumi-cli/local-sdk calls the generators that they call",
  "python3 -m venv venv": "takes Pulumi's SDK of PyPI with the line below it: the reader has an environment with it",
  "npm install @nats-io/transport-node @nats-io/jetstream @nats-io/kv":
    "takes packages of npm; test/forwarder/guide.test.ts compares the names with those that the sink loads",
  "npm install": "takes packages of npm: the reader of an example has them",
  "npm install pulumi-packetfilter": "would take the published package: the reader of an example has the packed one",
  "npm install pulumi-packetfilter @pulumi/pulumi":
    "would take the published package: the reader's folder has this one; npm run matrix installs it packed",
};

/** Commands that say the same when they are typed again: a second `up` finds nothing to do, and what fails fails again. */
const REPEATABLE = /^(\w+=\S+ )?(npx vitest run|pulumi (up|preview)\b.*)$/;

/** A dozen runs of the engine, on a machine that has others in hand. */
const TIMEOUT_MS = 300_000;

/** Circumstances in which a guide is followed. */
export interface Reader {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Values of the reader in place of those on the page: addresses, ports, secrets. */
  readonly instead?: Readonly<Record<string, string>>;
}

/**
 * A guide, followed from its first command to its last: a test that ends before fails. Its blocks:
 *
 * - `sh` runs and succeeds, in the shell that the blocks before it left: variables and folder stay
 * - `sh fails` ends with a failure
 * - a run of the engine or of tests that ends one of both is typed twice in a row, and ends the same way
 * - `sh once` is not: the next run goes on from it
 * - `sh background` runs until the guide ends
 * - `text output` is what the block before prints, by its shape: numbers may be others
 * - any other block whose tag is a name is a file, written when the reader comes to it; paths are files of the repository
 */
export function guide(page: string, outcome: string, follow: (guide: Guide) => Promise<void>) {
  it(`${page}: ${outcome}`, { timeout: TIMEOUT_MS }, async () => {
    await using reading = new Guide(page);
    await follow(reading);
    expect(reading.left()).toEqual([]);
  });
}

export class Guide implements AsyncDisposable {
  private readonly blocks: Block[];
  private readonly all: string;
  private readonly background: ChildProcess[] = [];
  private reader: Reader = { folder: "", env: {} };

  constructor(private readonly page: string) {
    const blocks = blocksOf(`docs/guides/${page}`).map((block) => ({ ...block, text: runnable(block) }));
    this.all = blocks.map(({ text }) => text).join("\n");
    this.blocks = blocks.filter(
      (block) => block.text !== "" && (isCommand(block) || isFile(block) || isPrinted(block)),
    );
  }

  /** From here on the guide is followed in this place, or so; what is not said stays. */
  at(reader: Partial<Reader>): void {
    this.reader = { ...this.reader, ...reader };
    const unread = Object.keys(reader.instead ?? {}).filter((shown) => !this.all.includes(shown));
    expect(unread, `${this.page} shows no such thing`).toEqual([]);
  }

  /** Types the next block, which contains this text, and gives what it printed. */
  async next(contains: string): Promise<string> {
    const block = await this.nextBlock();
    expect(block.text).toContain(contains);
    const text = this.located(block.text);
    if (block.tag === "background") return this.started(text);
    const printed = await this.ends(block, text);
    const last = text.split("\n").at(-1) ?? "";
    if (block.tag !== "once" && REPEATABLE.test(last)) await this.ends(block, last);
    const [after] = this.blocks;
    if (after?.tag === "output") this.prints(this.blocks.shift(), printed);
    return printed;
  }

  /** The commands that the reader has not come to, and what they print. */
  left(): string[] {
    return this.blocks.filter((block) => !isFile(block)).map(({ line, text }) => `${this.page}:${line}: ${text}`);
  }

  /** Follows a page to which this one leads, in the same place and to its end. */
  async leadsTo(page: string, follow: (guide: Guide) => Promise<void>): Promise<void> {
    await using reading = new Guide(page);
    reading.at({ folder: this.reader.folder, env: this.reader.env });
    await follow(reading);
    expect(reading.left()).toEqual([]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.background.filter(({ exitCode }) => exitCode === null)) {
      const ended = once(child, "exit");
      process.kill(-(child.pid ?? 0), "SIGTERM");
      await ended;
    }
  }

  /** Types commands, which must end as their block says. */
  private async ends({ line, tag }: Block, text: string): Promise<string> {
    const { code, printed } = await this.typed(text);
    expect(code === 0, `${this.page}:${line}: ${text}\nended with ${code}:\n${printed}`).toBe(tag !== "fails");
    return printed;
  }

  private async nextBlock(): Promise<Block> {
    for (let block = this.blocks.shift(); block !== undefined; block = this.blocks.shift()) {
      if (!isFile(block)) return block;
      await writeFile(join(this.reader.folder, block.tag), `${this.located(block.text)}\n`);
    }
    throw new Error(`${this.page} has no further command.`);
  }

  private located(text: string): string {
    return Object.entries(this.reader.instead ?? {}).reduce(
      (result, [shown, own]) => result.replaceAll(shown, own),
      text,
    );
  }

  /** Types some lines into the reader's shell, which ends at the first failure. */
  private async typed(text: string): Promise<{ code: number; printed: string }> {
    const child = spawn("sh", ["-ec", `${text}\nenv -0 >&3`], {
      ...this.surroundings(),
      stdio: ["ignore", "pipe", "pipe", "pipe"],
    });
    const [out, err, left] = [child.stdio[1], child.stdio[2], child.stdio[3]].map((stream) => {
      const chunks: Buffer[] = [];
      stream?.on("data", (chunk: Buffer) => void chunks.push(chunk));
      return () => Buffer.concat(chunks).toString();
    });
    const [code] = await once(child, "close");
    const variables = left?.().split("\0").filter(Boolean) ?? [];
    if (code === 0) {
      const env = Object.fromEntries(
        variables.map((one) => [one.slice(0, one.indexOf("=")), one.slice(one.indexOf("=") + 1)]),
      );
      this.reader = { ...this.reader, env, folder: env.PWD ?? this.reader.folder };
    }
    return { code, printed: `${out?.()}${err?.()}` };
  }

  /** Starts something in a process group of its own and waits for its first words. */
  private async started(text: string): Promise<string> {
    const child = spawn("sh", ["-ec", text], {
      ...this.surroundings(),
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.background.push(child);
    let said = "";
    child.stderr.on("data", (chunk) => {
      said += chunk;
    });
    const ended = once(child, "exit").then(([code]) =>
      Promise.reject(new Error(`${text}\nended with ${code}:\n${said}`)),
    );
    const [chunk] = await Promise.race([once(child.stdout, "data"), ended]);
    ended.catch(() => undefined);
    return String(chunk);
  }

  private surroundings() {
    const { folder, env } = this.reader;
    return { cwd: folder, env: { ...env, PWD: folder, PULUMI_SKIP_CONFIRMATIONS: "true" } };
  }

  private prints(block: Block | undefined, printed: string): void {
    for (const line of this.located(block?.text ?? "").split("\n")) expect(printed).toMatch(shapeOf(line));
  }
}

const isCommand = ({ language }: Block) => language === "sh";
const isFile = ({ language, tag }: Block) => language !== "sh" && /^[\w-]+(\.[\w-]+)+$/.test(tag);
const isPrinted = ({ tag }: Block) => tag === "output";

/** A block without the commands that no test types. */
function runnable(block: Block): string {
  if (!isCommand(block)) return block.text;
  return block.text
    .split("\n")
    .filter((line) => !(line in NOT_RUN))
    .join("\n")
    .trim();
}

/** A line with the same words; numbers may be others. */
function shapeOf(line: string): RegExp {
  const escaped = line.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(escaped.replace(/\d[\d ]*/g, "\\d[\\d ]*").replace(/ +/g, " +"));
}
