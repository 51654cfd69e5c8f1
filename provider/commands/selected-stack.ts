import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { CliIo } from "./cli-io";

const workspaceSchema = z.object({
  stack: z.string().optional(),
  stacks: z.record(z.string(), z.string()).optional(),
});
const credentialsSchema = z.object({ current: z.string().optional() });

/**
 * The stack that `pulumi stack select` chose for a project, without organisation and project; `undefined`: none, or Pulumi's
 * own files do not say. `PULUMI_STACK` comes before it, as with Pulumi.
 *
 * @param project The project's name, and the path of its file.
 */
export async function selectedStack(
  project: { readonly name: string; readonly path: string },
  { env }: CliIo,
): Promise<string | undefined> {
  if (env.PULUMI_STACK) return shortName(env.PULUMI_STACK);
  const home = env.PULUMI_HOME || (env.HOME && join(env.HOME, ".pulumi"));
  if (!home) return undefined;
  const file = `${project.name}-${createHash("sha1").update(project.path).digest("hex")}-workspace.json`;
  const workspace = await contentOf(join(home, "workspaces", file), workspaceSchema);
  const stacks = Object.entries(workspace?.stacks ?? {});
  if (stacks.length === 0) return workspace?.stack === undefined ? undefined : shortName(workspace.stack);
  const backend =
    env.PULUMI_BACKEND_URL || (await contentOf(join(home, "credentials.json"), credentialsSchema))?.current;
  const [, chosen] = stacks.find(([url]) => url === backend) ?? (stacks.length === 1 ? (stacks[0] ?? []) : []);
  return chosen === undefined ? undefined : shortName(chosen);
}

/** `organization/project/dev` is `dev`. */
export function shortName(stack: string): string {
  return stack.split("/").at(-1) ?? stack;
}

async function contentOf<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
  try {
    return schema.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return undefined;
  }
}
