import type { ChildProcess } from "node:child_process";
import type { Measured } from "./figures";
import type { BenchNode } from "./node";
import type { Peer, Session } from "./peer";
import type { Step } from "./plan";
import { watchMemory } from "./process-tree";

/** After this time a command is ended, so that one that hangs ends its row and not the run. */
const LONGEST_MS = 300_000;
/** Characters of a reason that a table can bear. */
const LONGEST_REASON = 240;

/**
 * Runs one step of a peer, and looks whether the node then holds what it should.
 *
 * @param wanted what the node should hold afterwards; nothing where that is not looked at.
 * @throws {Error} when it did not do what it was to do; see {@link sentence}.
 */
export async function measure(
  node: BenchNode,
  { asksNode }: Peer,
  { session, set }: { session: Session; set: string },
  step: Step,
  wanted: Readonly<Record<string, number>> | undefined,
): Promise<Measured> {
  const { code, output, seconds, memory, ...traffic } = await node.during(() => finished(session.start(step)));
  if (code !== 0) throw new Error(reason(output, code));
  if (asksNode && wanted !== undefined) {
    const wrong = await node.differences(set, wanted);
    if (wrong > 0) throw new Error(`it ended well, and ${wrong} entries at the node are not as they should be`);
  }
  const drift = asksNode && step === "refresh" ? { sawDrift: session.sawDrift(output) } : {};
  return { seconds, ...traffic, ...memory, state: await session.stateBytes(), ...drift };
}

/** Waits for the end of a command. */
export async function finished(child: ChildProcess) {
  const start = performance.now();
  const memory = watchMemory(child.pid);
  const timer = setTimeout(() => child.kill(), LONGEST_MS);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk) => {
      output += chunk;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  clearTimeout(timer);
  return { code, output, seconds: (performance.now() - start) / 1_000, memory: memory.stop() };
}

/** The lines of an output that speak of an error. */
function reason(output: string, code: number | null): string {
  const lines = output.split("\n").map((line) => line.replace(/^[\s│╷╵]+/, "").trim());
  const telling = lines.filter((line) => /error|fail|not found|refused/i.test(line));
  const text = (telling.length > 0 ? telling : lines.filter((line) => line !== "")).slice(0, 3).join(" / ");
  return `${code === null ? `it was ended after ${LONGEST_MS / 1_000} s` : `it ended with ${code}`}: ${text}`;
}

/** An error for a cell of a table: short, and without folders of this machine. */
export function sentence(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text
    .replaceAll(/\S*packetfilter-(peers|e2e)-\w+/g, "…")
    .replaceAll(/\s*\n\s*/g, " ")
    .replaceAll("|", "/")
    .trim()
    .slice(0, LONGEST_REASON);
}
