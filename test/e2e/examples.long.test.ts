import { cp } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Guide } from "../support/guide";
import { root } from "../support/markdown";
import { ownPort } from "../support/ports";
import { TestStack } from "./support/stack";

const EXAMPLES = ["block-lists", "block-top-sources", "incident-blocks", "policy-infra-repo", "teams"];

it.each(EXAMPLES)(
  "examples/%s starts as its README says, from the first command to the last",
  async (name) => {
    await using stack = await TestStack.create({ program: "", withPassphrase: true });
    await cp(join(root, "examples", name), stack.folder, { recursive: true });
    const { folder, env } = stack.place;
    const { PULUMI_STACK: _, ...reader } = env;
    const port = String(await ownPort());
    // Where the stack's own file has the address.
    if (name === "policy-infra-repo")
      await stack.write("Pulumi.dev.yaml", (await stack.read("Pulumi.dev.yaml")).replaceAll("8080", port));
    await using reading = new Guide(`../../examples/${name}/README.md`);
    reading.at({ folder, env: reader, instead: { "8080": port } });
    let printed = "";
    while (reading.left().length > 0) printed += await reading.next("");
    expect(printed).toMatch(/\d+ (?:created|to create)/);
  },
  300_000,
);
