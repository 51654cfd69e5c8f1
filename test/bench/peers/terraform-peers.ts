import { spawn, spawnSync } from "node:child_process";
import { copyFile, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Peer, type Session, type Task, WANTED, wantedText } from "./peer";
import type { PeerName, Step } from "./plan";

const sources = join("test", "bench", "peers", "terraform");

const COMMANDS: Readonly<Record<Step, readonly string[]>> = {
  create: ["apply", "-auto-approve"],
  nothing: ["apply", "-auto-approve"],
  change: ["apply", "-auto-approve"],
  refresh: ["apply", "-refresh-only", "-auto-approve"],
  destroy: ["destroy", "-auto-approve"],
};

/** Those that Terraform runs, with what is built into it: nothing is downloaded. */
export const TERRAFORM_PEERS: readonly Peer[] = [
  peer("terraform", "curl", { asksNode: true }),
  peer("terraform-map", "map", { asksNode: false }),
];

function peer(name: PeerName, source: string, { asksNode }: { asksNode: boolean }): Peer {
  return {
    name,
    workloads: ["set", "entries"],
    asksNode,
    absent: () => missing("terraform") ?? (asksNode ? (missing("curl") ?? missing("jq")) : undefined),
    prepare: (task) => prepare(task, join(sources, `${source}-${task.workload}`, "main.tf")),
  };
}

/** Why a program cannot be used; nothing when it is on PATH. */
export function missing(program: string): string | undefined {
  const { error } = spawnSync(program, ["--version"], { stdio: "ignore" });
  return error && `there is no ${program} on PATH`;
}

async function prepare(task: Task, source: string): Promise<Session> {
  const folder = await mkdtemp(join(tmpdir(), "packetfilter-peers-"));
  const env = { PATH: process.env.PATH, HOME: folder, CHECKPOINT_DISABLE: "1", TF_IN_AUTOMATION: "1" };
  const run = (...args: readonly string[]) =>
    spawn("terraform", [...args, "-no-color"], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  await copyFile(source, join(folder, "main.tf"));
  await writeFile(join(folder, WANTED), wantedText(task, {}));
  const { status, stderr } = spawnSync("terraform", ["init", "-no-color"], { cwd: folder, env, encoding: "utf8" });
  if (status !== 0) {
    await rm(folder, { recursive: true, force: true });
    throw new Error(`terraform init ended with ${status}: ${stderr}`);
  }
  return {
    folder,
    want: (entries) => writeFile(join(folder, WANTED), wantedText(task, entries)),
    start: (step) => run(...COMMANDS[step]),
    stateBytes: async () => (await stat(join(folder, "terraform.tfstate"))).size,
    sawDrift: (output) => !output.includes("No changes."),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
