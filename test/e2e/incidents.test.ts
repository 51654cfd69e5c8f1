import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { run } from "../commands/support";
import { BLOCKED, since, world } from "./support/world";

const example = join(process.cwd(), "examples", "incident-blocks");

it("a block is at the node at once, survives an up, and goes after its time", async () => {
  await using w = await world({ program: "" });
  const { emulator, stack } = w;
  await cp(join(example, "blocks.yaml"), join(stack.folder, "blocks.yaml"));
  const program = await readFile(join(example, "index.ts"), "utf8");
  await stack.program(
    program
      .replace('import { join } from "node:path";', 'const { join } = require("node:path");')
      .replace(/import \* as pf.*\n/, "")
      .replace("export const blocked =", "exports.blocked ="),
  );
  await stack.must("up", "--yes", "--skip-preview");
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "203.0.113.7/32": 1 });

  const command = (...args: string[]) =>
    run([...args, "--file", "blocks.yaml", "--now", BLOCKED], {
      folder: stack.folder,
      env: { PACKETFILTER_ENDPOINT: emulator.endpoint },
    });
  let sent = since(emulator);
  const blocked = await command("block", "192.0.2.9", "--for", "2h", "--reason", "SYN flood");
  expect(blocked.code, blocked.err).toBe(0);
  expect(sent()).toEqual(["insert 1", "commit"]);
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.9/32": 1, "203.0.113.7/32": 1 });

  sent = since(emulator);
  const up = await stack.up("--skip-preview");
  expect(up.code, up.text).toBe(0);
  expect(sent().filter((one) => one !== "commit")).toEqual([]);

  const text = await stack.read("blocks.yaml");
  expect(text).toMatch(/^# What is blocked during incidents/);
  await stack.write(
    "blocks.yaml",
    text.replace(/(192\.0\.2\.9\/32:[\s\S]*?expires: )\S+/, (_, before) => `${before}2020-01-01T00:00:00Z`),
  );
  sent = since(emulator);
  const over = await stack.up("--skip-preview");
  expect(over.code, over.text).toBe(0);
  expect(sent()).toEqual(["delete 1", "commit"]);
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "203.0.113.7/32": 1 });
});
