import { expect, test } from "vitest";
import { table } from "../../provider/commands/probing/table";
import { parseUrl } from "../../provider/model/resource-url";
import { nodeFile } from "../../provider/probe/finding";
import { probe } from "../../provider/probe/probe";
import { startShapedNode } from "../support/shaped-node";
import { probed as probedWhole, startAppliance } from "./appliances/probing";
import { probedSet } from "./at-once";
import { probed, startNode } from "./support";

const [PROBE, BLOCKED] = ["prefixset://edge/probe", "prefixset://edge/blocked"];

/** Probes the lists of some urls of an appliance. */
async function looked(appliance: Awaited<ReturnType<typeof startAppliance>>, urls: readonly string[], write = false) {
  const options = { urls: urls.map(parseUrl), write, world: appliance.world() };
  return probe({ node: { endpoint: appliance.url }, ...options });
}

const finding = ({ findings }: Awaited<ReturnType<typeof probe>>, name: string) =>
  findings.find(({ point }) => point === name);

test("on a filled set --write says what it cannot ask there, and how to get an empty one", async () => {
  await using appliance = await startAppliance("cookie");
  appliance.put("edge/blocked", "10.1.0.0/16", 5);
  const { stopped } = await looked(appliance, [BLOCKED], true);
  expect(stopped).toBe(
    '--write needs a set that is empty, and prefixset://edge/blocked lists {"data":[{"p":"10.1.0.0/16","v":5}]}. ' +
      "In it no known entry can be told from others, so how entries are read for certain, what changes are answered and which limits hold is not asked. " +
      "Make a set on the node that no other client uses, and name that one first, such as prefixset://edge/probe; or try this one with --keep, which leaves its entries as they are",
  );
});

test("nothing is to be set only where every point that decides about a setting was looked at", async () => {
  await using emulator = await startNode({});
  const whole = table(await probed(emulator));
  expect(whole).toContain("\nNo settings are needed.\n");
  expect(whole).not.toContain("could not be looked at");
  await using appliance = await startAppliance("cookie");
  const partly = table(await looked(appliance, [PROBE]));
  expect(partly).not.toContain("No settings are needed.");
  expect(partly.replace(/\s+/g, " ")).toMatch(
    /Of the \d+ points that decide about settings, \d+ could not be looked at; the first is "list of a set: nothing is in it, so its entries were not seen; under data"\./,
  );
  // Without records in any table, their names were not seen.
  const all = await probedWhole(appliance);
  expect(nodeFile(all).unknown).toMatchObject({ marks: expect.stringContaining("names were not seen") });
  expect(table(all)).not.toContain("No settings are needed.");
});

test("without --write a filled set among the named ones tells names and spelling", async () => {
  await using appliance = await startAppliance("cookie");
  for (const prefix of ["10.1.0.0/16", "198.51.100.7/32"]) appliance.put("edge/blocked", prefix, 5);
  const result = await looked(appliance, [PROBE, BLOCKED]);
  expect(finding(result, "set-list")).toMatchObject({
    node: "2 entries of prefixset://edge/blocked, under data; prefix p, value v; single addresses with /32",
    dialect: { singleAddress: "cidr" },
  });
});

test("what a commit counts is told as the node counts it", async () => {
  const said = async (success: (cmd: string, count: number) => unknown) => {
    await using node = await startShapedNode({ [PROBE]: {} }, { success });
    const { node: text, found } = finding(await probedSet(node), "success") ?? {};
    return { text, found };
  };
  expect(await said(() => ({ count: 4 }))).toEqual({ text: '{"count":4}', found: "observed" });
  expect(await said((cmd, count) => ({ count: cmd === "commit" ? 1 : count }))).toEqual({
    text: '{"count":4}; a commit of as many: {"count":1}',
    found: "observed",
  });
});

test("a node that refuses one entry of a request takes any number of others", async () => {
  await using node = await startShapedNode(
    { [PROBE]: {} },
    // Its own address, and what is there already or is not.
    { refuses: ({ p, a = "" }, held) => p === "203.0.113.4/32" || (p ? held.has(p) : !held.has(a)) },
  );
  const limits = { entries: 100, bytes: 65_536 };
  const result = await probedSet(node, { limits });
  expect(finding(result, "most-entries")?.node).toBe("no limit was met up to 100 different entries, the largest tried");
  expect(result.node).toEqual({ insertExisting: "error" });
});
