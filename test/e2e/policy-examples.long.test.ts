import { execFileSync } from "node:child_process";
import { cp, readFile, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { analyzerOf } from "./support/policy-pack";
import { finished, SECRETS_PROVIDER, TestStack, TYPES_ARE_CHECKED } from "./support/stack";

const root = resolve(__dirname, "../..");
const PACK = "node_modules/pulumi-packetfilter/policies/run";

/** A copy of an example, installed, with the stacks that it names. */
async function example(name: string, stacks: readonly string[], more: Record<string, string> = {}) {
  const env = { PACKETFILTER_SECRET_KEY: "not-used-in-a-preview", ...more };
  const stack = await TestStack.create({ program: "", env });
  await cp(join(root, "examples", name), stack.folder, { recursive: true });
  for (const one of stacks) await stack.must("stack", "init", one, SECRETS_PROVIDER);
  const run = (command: string, one: string, ...args: string[]) =>
    finished(stack.start(command, "--stack", one, ...args));
  return { stack, run, [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose]() };
}

describe("examples/policy-infra-repo", () => {
  const prod = ["--policy-pack", PACK, "--policy-pack-config", "policy-config.prod.json"];

  it("stops a mistake in prod that dev only warns of", async () => {
    await using repo = await example("policy-infra-repo", ["dev", "prod"], TYPES_ARE_CHECKED);
    const { stack, run } = repo;
    const program = await readFile(join(stack.folder, "index.ts"), "utf8");
    await stack.write("index.ts", program.replace('"203.0.113.0/25": {', '"198.51.100.0/25": {'));
    const dev = await run("preview", "dev", "--policy-pack", PACK, "--policy-pack-config", "policy-config.dev.json");
    expect(dev.code, dev.text).toBe(0);
    expect(dev.text).toContain("[advisory]  protected-prefixes");
    const production = await run("preview", "prod", ...prod);
    expect(production.code, production.text).not.toBe(0);
    expect(production.text).toContain("[mandatory]  protected-prefixes");
    expect(production.text).toContain("198.51.100.0/25 (lies in the owned prefix 198.51.100.0/24)");
  });
});

describe("examples/policy-own-pack", () => {
  it("is whole in the archive that `pulumi policy publish` uploads", async () => {
    const folder = join(root, "examples/policy-own-pack");
    const [{ files }] = JSON.parse(execFileSync("npm", ["pack", "--dry-run", "--json"], { cwd: folder }).toString());
    const { main } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    expect(files.map(({ path }: { path: string }) => path)).toEqual(
      expect.arrayContaining([main, "PulumiPolicy.yaml", "package.json", "ticket-format.ts"]),
    );
  });

  it("adds a rule and a policy to ours, and judges by them", async () => {
    await using repo = await example("policy-infra-repo", ["dev"], TYPES_ARE_CHECKED);
    const { stack, run } = repo;
    const pack = join(stack.folder, "policy-own-pack");
    await cp(join(root, "examples/policy-own-pack"), pack, { recursive: true });
    await symlink(join(root, "node_modules/zod"), join(stack.folder, "node_modules/zod"));

    {
      await using folder = await analyzerOf(pack);
      const { name, policiesList } = await folder.info();
      expect(name).toBe("our-packetfilter-policies");
      expect(policiesList.map((policy) => policy.name)).toEqual(
        expect.arrayContaining(["prefix-length", "ticket-format", "known-node"]),
      );
    }
    const judged = await run("preview", "dev", "--policy-pack", "policy-own-pack/run");
    expect(judged.code, judged.text).not.toBe(0);
    expect(judged.text).toContain("[mandatory]  ticket-format");
    expect(judged.text).toContain("entries whose ticket is none of ours (2 of 2): 203.0.113.0/25, 2001:db8:bad::/48");
    expect(judged.text).not.toContain("INC-4711");

    const config = await stack.read("packetfilter-policies.yaml");
    await stack.write("packetfilter-policies.yaml", `${config}  ticket-format: { projects: [INC] }\n`);
    const passed = await run("preview", "dev", "--policy-pack", "policy-own-pack/run");
    expect(passed.text).toContain("✅ our-packetfilter-policies");
    // `known-node` wants nothing of a program that leaves its node to the configuration.
    expect(passed.code, passed.text).toBe(0);

    await stack.write("packetfilter-policies.yaml", `${config}  ticket-formats: {}\n`);
    const wrong = await run("preview", "dev", "--policy-pack", "policy-own-pack/run");
    expect(wrong.code, wrong.text).not.toBe(0);
    expect(wrong.text).toContain("packetfilter-policies.yaml is not a valid policy configuration:");
    expect(wrong.text).not.toMatch(/^\s+at /m);
  });
});
