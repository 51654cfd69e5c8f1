import { describe, expect } from "vitest";
import { guide } from "../support/guide";
import { MAKES } from "../support/makes";
import { TestStack } from "./support/stack";
import { BLOCKED, blockedSet, emptyNode } from "./support/world";

const PARTNERS = "prefixset://edge/partners";
const ENTRIES = { "192.0.2.0/24": 1, "203.0.113.0/24": 1 };
const single = (node: string) =>
  `new pf.PrefixSetEntry("one", { node: "${node}", arena: "edge", set: "partners", prefix: "192.0.2.0/24" });\n`;
const SPARE = { "198.51.100.9/32": 1 };
const spare =
  'new pf.PrefixSetEntry("spare", { node: "fra9", arena: "edge", set: "partners", prefix: "198.51.100.9" });\n';
const both = (node: string) => blockedSet(ENTRIES, `node: "${node}"`) + single(node);

describe("places", () => {
  const outcome =
    "of a moved, a renamed, a second and a departed node nothing is lost, cleared elsewhere or unreported";
  guide("moving-and-retiring-nodes.md", outcome, async (guide) => {
    await using first = await emptyNode({ make: "seed:34" });
    await using old = await emptyNode({ make: "seed:10" });
    await using young = await emptyNode({ make: "seed:6" });
    const endpoint = old.endpoint.replace("127.0.0.1", "localhost");
    await using stack = await TestStack.create({ program: both("fra1") });
    const nodes = {
      fra1: { endpoint: first.endpoint, ...MAKES["seed:34"] },
      same: { endpoint, ...MAKES["seed:10"] },
    };
    const members = Object.entries(nodes).flatMap(([name, node]) =>
      Object.entries(node).flatMap(([key, value]) => ["--plaintext", `packetfilter:nodes.${name}.${key}=${value}`]),
    );
    await stack.must("config", "set-all", "--path", ...members);
    const { clientId = "", secretKey = "" } = first.clients[0] ?? {};
    const instead = {
      "http://192.0.2.10": first.endpoint,
      "http://192.0.2.20/path": first.signalingUrl,
      "http://192.0.2.11": old.endpoint,
      "http://192.0.2.19": young.endpoint,
      "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/packetfilter:PrefixSet::blocked":
        "urn:pulumi:test::journey::pulumi-nodejs:dynamic/packetfilter:PrefixSetEntry::spare",
    };
    guide.at({ folder: stack.folder, env: { ...stack.place.env, PACKETFILTER_SECRET_KEY: secretKey }, instead });
    await stack.must("up", "--yes", "--skip-preview");

    // To another machine: the first one keeps what it has, until it is cleared by hand.
    expect(await guide.next("nodes.fra1.endpoint")).toContain(first.endpoint);
    for (const node of [first, old])
      expect([node.prefixSet(BLOCKED).applied, node.prefixSet(PARTNERS).applied]).toEqual([
        ENTRIES,
        { "192.0.2.0/24": 1 },
      ]);

    await stack.program(both("same"));
    const renamed = await stack.must("up", "--yes", "--skip-preview");
    expect([old.prefixSet(BLOCKED).applied, old.prefixSet(PARTNERS).applied]).toEqual([ENTRIES, { "192.0.2.0/24": 1 }]);
    expect(renamed.text).toContain(`2 entries stay, since this stack declares the same at ${endpoint}`);

    // To new hardware: a second name, the program, and the old name goes.
    await stack.program(both("fra9") + spare);
    guide.at({ instead: { ...instead, fra1: "same" } });
    await guide.next("distinctNodes true");
    await guide.next("nodes.fra9");
    guide.at({ instead });
    expect([young.prefixSet(BLOCKED).applied, young.prefixSet(PARTNERS).applied]).toEqual([
      ENTRIES,
      { "192.0.2.0/24": 1, ...SPARE },
    ]);
    expect([old.prefixSet(BLOCKED).applied, old.prefixSet(PARTNERS).applied]).toEqual([{}, {}]);

    // What was left at the first one and its receiver is cleared by hand; what is taken out of the state stays where it is.
    first.signal(clientId, { start: ["198.51.100.7"] });
    await guide.next("/fapi");
    expect(first.prefixSet(BLOCKED).applied).toEqual({});
    await guide.next("/stop");
    expect(first.signalings[clientId] ?? []).toEqual([]);
    await guide.next("state delete");

    // Another address and a failing program: destroy has this configuration, and works where the state says.
    await using wrong = await emptyNode();
    wrong.change(BLOCKED, { insert: ENTRIES });
    await stack.must("config", "set", "--path", "packetfilter:nodes.fra9.endpoint", wrong.endpoint, "--stack", "test");
    await stack.program(
      'new pf.PrefixSet("bad", { node: "fra9", arena: "edge", set: "none", entries: ["no prefix"] });',
    );
    await stack.mustFail("up", "--yes", "--skip-preview");
    await stack.must("destroy", "--yes", "--skip-preview");
    expect([wrong.prefixSet(BLOCKED).applied, wrong.prefixSet(PARTNERS).applied]).toEqual([ENTRIES, {}]);
    expect([young.prefixSet(BLOCKED).applied, young.prefixSet(PARTNERS).applied]).toEqual([{}, SPARE]);
  });
});
