import { lstatSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { rules } from "../../policies/all-rules";
import { loadPolicyConfig } from "../../policies/config/load";
import { appendAudit } from "../../provider/apply/audit-log";
import { readStack } from "../../provider/commands/stack-files";
import { replaceFile } from "../../provider/files/whole-file";
import { run } from "../commands/support";
import { NAMES, WRITERS } from "./writers";

const POLICIES = "rules: { protected-prefixes: mandatory }\n";

/** A checkout to which a commit has brought two links out of it: a file, and a folder. */
async function checkout(name: string) {
  const folder = await mkdtemp(join(tmpdir(), "packetfilter-links-"));
  const [inside, outside] = [join(folder, "checkout"), join(folder, "outside")];
  for (const made of [inside, outside, join(inside, ".git")]) await mkdir(made);
  await writeFile(join(outside, name), POLICIES);
  await symlink(join(outside, name), join(inside, name));
  await symlink(outside, join(inside, "away"));
  return {
    inside,
    /** Files outside, by name, and whether the link is still there. */
    async now() {
      const texts = (await readdir(outside)).map(async (file) => [file, await readFile(join(outside, file), "utf8")]);
      return {
        outside: Object.fromEntries(await Promise.all(texts)),
        link: lstatSync(join(inside, name)).isSymbolicLink(),
      };
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

it.each(Object.entries(WRITERS))("%s goes through no link that a commit brought", async (what, write) => {
  const name = NAMES[what] ?? (what.endsWith("block") ? "blocks.yaml" : "out.ndjson");
  await using work = await checkout(name);
  const written = async (file: string) => write(file);
  await expect(written(join(work.inside, name))).rejects.toThrow(`${name} is a symbolic link, which is not followed`);
  await expect(written(join(work.inside, "away", name))).rejects.toThrow("lies behind the symbolic link");
  expect(await work.now()).toEqual({ outside: { [name]: POLICIES }, link: true });
});

it("what a report reads is no link either", async () => {
  await using work = await checkout("preview.json");
  await writeFile(join(work.inside, "changes.json"), "{}");
  for (const args of [["preview.json"], ["changes.json", "--policies", "preview.json"]]) {
    const { code, out, err } = await run(["report", ...args], { folder: work.inside });
    expect([code, out, err.includes("protected-prefixes")]).toEqual([1, "", false]);
  }
});

it.each(["Pulumi.dev.yaml", "packetfilter-policies.yaml"])("%s is read behind no link that leads out", async (name) => {
  await using work = await checkout(name);
  await writeFile(join(work.inside, "Pulumi.yaml"), "name: shop\nruntime: nodejs\n");
  const read = async () =>
    name === "Pulumi.dev.yaml"
      ? readStack(join(work.inside, name), name)
      : loadPolicyConfig(rules, { folder: work.inside, environment: {} });
  await expect(read()).rejects.toThrow(`${name} is a symbolic link, which is not followed`);
  // Nor one to what git keeps there, credentials among it; within the checkout programs share files so.
  const [own, gits] = [join(work.inside, "shared.yaml"), join(work.inside, ".git", "config")];
  for (const file of [own, gits]) await writeFile(file, "{}");
  await rm(join(work.inside, name));
  await symlink(own, join(work.inside, name));
  await expect(read()).resolves.toBeDefined();
  await rm(join(work.inside, name));
  await symlink(gits, join(work.inside, name));
  await expect(read()).rejects.toThrow("is a symbolic link, which is not followed");
});

it("what a user's own folders are links of is written as before, and so is what the system names by one", async () => {
  const folder = await mkdtemp(join(tmpdir(), "packetfilter-links-"));
  await mkdir(join(folder, "disk"));
  await symlink(join(folder, "disk"), join(folder, "logs"));
  await replaceFile(join(folder, "logs", "state.json"), "{}");
  expect(await readFile(join(folder, "disk", "state.json"), "utf8")).toBe("{}");
  appendAudit("/dev/null", { time: "", actor: undefined, node: "", set: "", prefixes: {}, outcome: "" });
  await rm(folder, { recursive: true });
});
