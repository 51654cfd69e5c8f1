import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Peer, type Session, type Task, WANTED, wantedText } from "./peer";
import type { Step } from "./plan";
import { missing } from "./terraform-peers";

const MODES: Readonly<Record<Step, string>> = {
  create: "apply",
  nothing: "apply",
  change: "apply",
  refresh: "check",
  destroy: "clear",
};

/** sync.sh, which has one file of entries either way. */
export const SCRIPT_PEER: Peer = {
  name: "script",
  workloads: ["set", "entries"],
  asksNode: true,
  absent: () => missing("bash") ?? missing("curl") ?? missing("jq"),
  prepare,
};

async function prepare(task: Task): Promise<Session> {
  const folder = await mkdtemp(join(tmpdir(), "packetfilter-peers-"));
  const script = join("test", "bench", "peers", "sync.sh");
  const file = join(folder, WANTED);
  return {
    folder,
    want: (entries) => writeFile(file, wantedText(task, entries)),
    start: (step) => spawn("bash", [script, MODES[step], file], { stdio: ["ignore", "pipe", "pipe"] }),
    stateBytes: async () => 0,
    sawDrift: (output) => /^[1-9]\d* entries differ$/m.test(output),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
