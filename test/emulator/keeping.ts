import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { z } from "zod";

const ready = z.object({ endpoint: z.string() });

/** An emulator of the command line that keeps its state in a file. npx starts a process of its own: both are one group. */
export async function keeping(persist: string): Promise<{ child: ChildProcess; endpoint: string }> {
  const args = ["pulumi-packetfilter", "emulator", "--json", "--persist", persist];
  const child = spawn("npx", args, { detached: true, stdio: ["ignore", "pipe", "ignore"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return { child, endpoint: ready.parse(JSON.parse(line.toString())).endpoint };
}
