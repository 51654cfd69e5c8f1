import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { arch, cpus, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { Figures } from "./figures";

/** The machine, without anything that names it. */
export function machine(): Figures["machine"] {
  const all = cpus();
  return {
    cpu: all[0]?.model.trim() ?? "unknown",
    cores: all.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()} ${arch()}`,
  };
}

const manifest = z.object({ version: z.string() });
const versionOf = (folder: string) =>
  manifest.parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))).version;

/** Versions of the programs that took part. */
export function versions(): Record<string, string> {
  return {
    "pulumi-packetfilter": `${versionOf(".")}, commit ${said("git", ["describe", "--always", "--dirty"])}`,
    "Pulumi CLI": said("pulumi", ["version"]),
    "@pulumi/pulumi": versionOf(join("node_modules", "@pulumi", "pulumi")),
    Node: process.version,
    Terraform: said("terraform", ["version"]),
    curl: said("curl", ["--version"]),
    jq: said("jq", ["--version"]),
    bash: said("bash", ["--version"]),
  };
}

/** The first version that a program says, or "absent". */
function said(program: string, args: readonly string[]): string {
  try {
    const text = execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    const [line = ""] = text.split("\n");
    return /\d+\.\d+[\w.()-]*/.exec(line)?.[0] ?? line.trim();
  } catch {
    return "absent";
  }
}
