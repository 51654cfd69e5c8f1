import { expect, it } from "vitest";
import { since, world } from "./support/world";

const PROGRAM = `
  const { NodeClient } = require("pulumi-packetfilter/client");
  const client = new NodeClient({ endpoint: new pulumi.Config("packetfilter").require("endpoint") });
  const list = client.listPrefixSet({ kind: "prefixset", arena: "edge", set: "blocked" });
  new pf.PrefixSet("copy", { arena: "edge", set: "partners", entries: pf.getPrefixSet({ arena: "edge", set: "blocked" }) });
  new pf.PrefixSet("listed", { arena: "edge", profile: "web", set: "blocked", entries: list });
  new pf.CloudSignaling("active", { prefixes: pf.getSignalings() });
`;
const HELD = { "192.0.2.0/24": 3, "2001:db8::/32": 1 };

it("a program fills sets with what the client and the read functions return, and the next up finds nothing to do", async () => {
  await using w = await world({ program: PROGRAM });
  const { emulator, stack } = w;
  emulator.change("prefixset://edge/blocked", { insert: HELD });
  emulator.signal("client-a", { start: ["198.51.100.7"] });

  const sent = since(emulator);
  const created = await stack.up("--skip-preview");
  expect(created.code, created.text).toBe(0);
  expect(emulator.prefixSet("prefixset://edge/partners").applied).toEqual(HELD);
  expect(emulator.prefixSet("prefixset://edge/web/blocked").applied).toEqual(HELD);
  expect(sent().toSorted()).toEqual(["commit", "commit", "insert 2", "insert 2"]);
  const { listed, active } = await stack.state();
  expect(listed?.outputs.entries).toEqual(HELD);
  expect(active?.outputs).toMatchObject({ prefixes: ["198.51.100.7/32"], started: [] });

  const again = await stack.preview("--expect-no-changes");
  expect(again.code, again.text).toBe(0);

  // An Output keeps nothing of a Map: the new set would be declared empty.
  await stack.program(
    `${PROGRAM} new pf.PrefixSet("lost", { arena: "edge", set: "blocked", entries: pulumi.secret(new Map([["192.0.2.0/24", 7]])) });`,
  );
  const lost = await stack.preview();
  expect(lost.code).not.toBe(0);
  expect(lost.text).toContain('PrefixSet "lost": entries is an Output of an empty object');
  expect(lost.text).not.toContain("node_modules");
});
