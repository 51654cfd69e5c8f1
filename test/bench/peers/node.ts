import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { connectEmulator, type RemoteEmulator } from "../../../provider/emulator";
import { LATENCY_MS } from "./plan";

/** Requests to a node during a step, and their changes. */
export interface Traffic {
  readonly requests: number;
  readonly commits: number;
  /** Entries that commits added, took out or gave another value, each time counted. */
  readonly written: number;
}

const readyLine = z.object({ control: z.string() });
const url = (set: string) => `prefixset://edge/${set}`;

/**
 * The packaged emulator, started as a user starts it, in a process of its own: what it computes is no part of what is measured, but for the
 * processor that both share. Each peer fills a set of its own.
 */
export class BenchNode implements AsyncDisposable {
  private begun = 0;

  private constructor(
    private readonly child: ChildProcess,
    private readonly emulator: RemoteEmulator,
    private readonly folder: string,
  ) {}

  /** Starts one with these empty sets in the arena `edge`. */
  static async start(sets: readonly string[]): Promise<BenchNode> {
    const folder = await mkdtemp(join(tmpdir(), "packetfilter-peers-"));
    const state = join(folder, "state.json");
    const held = { arenas: { edge: { sets: Object.fromEntries(sets.map((set) => [set, {}])) } } };
    await writeFile(state, JSON.stringify(held));
    const cli = join("dist", "provider", "cli.js");
    const args = [cli, "emulator", "--json", "--state", state, "--latency", `${LATENCY_MS}ms`];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    for await (const line of createInterface({ input: child.stdout })) {
      const { control } = readyLine.parse(JSON.parse(line));
      return new BenchNode(child, await connectEmulator(control), folder);
    }
    throw new Error(`The emulator ended with ${child.exitCode} before it was ready.`);
  }

  get endpoint(): string {
    return this.emulator.endpoint;
  }

  /** Carries out a step, and counts what the node is asked meanwhile. */
  async during<T>(step: () => Promise<T>): Promise<T & Traffic> {
    this.begun += 1;
    const { run: number } = await this.emulator.beginRun(`step ${this.begun}`);
    const result = await step();
    const run = (await this.emulator.runs).find((one) => one.run === number);
    if (run === undefined) throw new Error("The emulator forgot a run.");
    const { requests, commits, inserted, removed, changed } = run;
    return { ...result, requests, commits, written: inserted + removed + changed };
  }

  /** Number of wrong entries of a set, missing and superfluous ones included. */
  async differences(set: string, wanted: Readonly<Record<string, number>>): Promise<number> {
    const { applied } = await this.emulator.prefixSet(url(set));
    const prefixes = new Set([...Object.keys(wanted), ...Object.keys(applied)]);
    return [...prefixes].filter((prefix) => applied[prefix] !== wanted[prefix]).length;
  }

  /** Takes an entry out at the node's console, without a word to any client. */
  async drift(set: string, prefix: string): Promise<void> {
    await this.emulator.change(url(set), { delete: [prefix] });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.child, "exit");
    if (this.child.kill()) await ended;
    await rm(this.folder, { recursive: true, force: true });
  }
}
