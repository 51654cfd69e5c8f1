import { expect, it } from "vitest";
import { run as command } from "../commands/support";
import { BLOCKED, blockedSet, emptyNode, since, world } from "./support/world";

it("a changed address is said to be one, in the preview and in the report: nothing was lost", async () => {
  const others = `
    new pf.PrefixSetGroup("group", { arena: "edge", profile: "web", set: "blocked", nodes: ["n1"], entries: ["192.0.2.0/24"] });
    new pf.PrefixSetEntry("one", { arena: "edge", set: "partners", prefix: "203.0.113.9" });
  `;
  await using w = await world({ program: blockedSet({ "192.0.2.0/25": 1 }) + others });
  const { emulator, stack } = w;
  await using other = await emptyNode();
  const at = async (endpoint: string) => {
    await stack.must("config", "set", "packetfilter:endpoint", endpoint);
    await stack.must("config", "set", "--path", "packetfilter:nodes.n1.endpoint", endpoint);
  };
  await at(emulator.endpoint);
  await stack.must("up", "--yes", "--skip-preview");

  const sent = since(emulator);
  await at(other.endpoint);
  const plain = await stack.preview();
  expect(plain.stdout.match(/\[diff: .*?\]/g)?.sort()).toEqual([
    "[diff: ~endpoint]",
    "[diff: ~endpoint]",
    "[diff: ~endpoints]",
  ]);
  const planned = await stack.preview("--json");
  expect(planned.stdout).toContain(
    `The address is ${other.endpoint} now, and was ${emulator.endpoint}: what is missing there was never lost`,
  );
  await stack.write("preview.json", planned.stdout);
  const { out } = await command(["report", "preview.json", "--output", "text"], { folder: stack.folder });
  expect(out).toContain("3 entries in (257 IPv4 addresses), 3 entries out (257 IPv4 addresses), in 6 sets on 2 nodes.");
  expect(out).not.toContain("restore");
  expect(out).toContain(`${other.endpoint} ${BLOCKED}\n  1 entry in (128 IPv4 addresses).`);

  // Credentials and times are no change of what is held.
  await at(emulator.endpoint);
  await stack.must("config", "set", "--secret", "packetfilter:headers", '{"x-token":"second"}');
  await stack.must("config", "set", "--path", "packetfilter:node.timeoutMs", "9000");
  await stack.must("preview", "--expect-no-changes");
  expect(sent()).toEqual([]);
});
