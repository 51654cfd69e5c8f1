import { expect, test } from "vitest";
import { NodeClient, type NodeOptions } from "../../provider/client";
import { startEmulator } from "../../provider/emulator";
import { Prefix } from "../../provider/model/prefix";
import { type PrefixSetUrl, parseUrl } from "../../provider/model/resource-url";
import type { Shape } from "../support/shaped-node";
import { NODES } from "../support/shapes/nodes";
import { byClient, entriesOf } from "../support/shapes/readings";
import { heldBy, type NodeShape, readOf, SET } from "../support/shapes/shape";
import { startNode } from "../support/shapes/start";
import { probedSet } from "./at-once";

/** These nodes know no prefixes but good ones: what else is inserted is as if it were not. */
function onlyPrefixes({ list = () => [], key = String }: Shape): Partial<Shape> {
  return {
    list: (held, url) => list(new Map([...held].filter(([text]) => isPrefix(text))), url),
    key: (text) => (isPrefix(text.replace(/\/255\S*|-\S*/, "")) ? key(text) : text),
  };
}

function isPrefix(text: string): boolean {
  try {
    return Prefix.parse(text).size > 0n;
  } catch {
    return false;
  }
}

const set = parseUrl(SET) as PrefixSetUrl;

/** Nodes whose settings no answer tells, and why. */
const UNTOLD: Readonly<Record<string, string>> = {
  "members with dots in their names": "what is staged stands in every list, as an entry would",
  "the list beside another one": "what is staged stands in every list, as an entry would",
  "nftables: an element is an object in an object": "only a module of one's own reads it",
  "JSON:API: the members of an element are attributes": "only a module of one's own reads it",
  "ipset save": "only a module of one's own reads it",
  XML: "only a module of one's own reads it",
  YAML: "only a module of one's own reads it",
  "JSON behind a guard against scripts": "only a module of one's own reads it",
  "pages that a header counts": "only the list of a node with several pages tells which header it is",
  "a member that only looks like a page": "only the list of a node with several pages tells which member it is",
};
const TOLD = Object.entries(NODES).filter(([name]) => !(name in UNTOLD));
/** Sets that vanish are there at first, or made by the first insert. */
const VANISHING = TOLD.filter(([, { vanishes }]) => vanishes);

test("all but a few nodes tell their settings", () => {
  expect(TOLD.length).toBeGreaterThanOrEqual(60);
  expect(Object.keys(UNTOLD).filter((name) => !(name in NODES))).toEqual([]);
});

/** Probes a node whose set is empty, then fills it, and reads it with what was found. */
async function expectRead(shape: NodeShape, isThere: boolean) {
  await using node = await startNode(shape, onlyPrefixes);
  if (isThere) node.sets.set(SET, new Map());
  else node.sets.delete(SET);
  const result = await probedSet(node, { urls: [set] });
  expect({ unusable: result.unusable, left: result.left, stopped: result.stopped }).toEqual({ unusable: [], left: [] });
  expect([...(node.sets.get(SET) ?? [])]).toEqual([]);
  const found: NodeOptions = { endpoint: node.endpoint, ...result.node };
  const client = new NodeClient(found);
  expect(entriesOf(await client.listPrefixSet(set))).toEqual({});
  node.sets.set(SET, new Map(Object.entries(heldBy(shape).entries)));
  expect(entriesOf(await client.listPrefixSet(set)), JSON.stringify(result.node)).toEqual(readOf(shape).entries);
  await client.close();
  return result;
}

/** Nodes that an emulator cannot be told to answer as, and why. */
const WITHOUT_DIALECT: Readonly<Record<string, string>> = {
  "Erlang: octets and a length in a tuple": "no dialect has an address, a length and a value in one array",
  "rows with more fields than we know": "no dialect has further fields in an array",
  "C: lines with a head, and a last line": "no dialect has a line in a list that is empty",
  "NDJSON with a last line that counts": "no dialect has a line in a list that is empty",
  "Cisco: address and netmask": "no dialect has lines with a netmask behind the address",
};

test.each(TOLD)(
  "%s: what a probe finds reads the set once it is filled, and an emulator of its dialect",
  async (name, shape) => {
    const { node, dialect } = await expectRead(shape, true);
    await using emulator = await startEmulator({
      dialect,
      state: { arenas: { edge: { sets: { blocked: { "192.0.2.0/24": 1 } } } } },
    });
    const client = new NodeClient({ ...node, endpoint: emulator.endpoint });
    const read = async () => entriesOf(await client.listPrefixSet(set));
    const tried = async () => {
      const first = await read();
      await client.insert(set, [["198.51.100.7", 1]]);
      await client.commit(set);
      const second = await read();
      await client.delete(
        set,
        (await client.listPrefixSet(set)).map(({ spelling }) => spelling),
      );
      await client.commit(set);
      return [first, second, await read()];
    };
    const expected = [{ "192.0.2.0/24": 1 }, { "192.0.2.0/24": 1, "198.51.100.7/32": 1 }, {}];
    if (name in WITHOUT_DIALECT) await expect(tried().catch((error) => error)).resolves.not.toEqual(expected);
    else expect(await tried(), JSON.stringify(dialect)).toEqual(expected);
    await client.close();
  },
);

test.each(VANISHING)("%s: the set need not be there", async (_name, shape) => {
  expect((await expectRead(shape, false)).node).toEqual(shape.settings);
});

/** Nodes whose other lists need more than is found, and why. */
const UNTOLD_OTHERS: Readonly<Record<string, string>> = {
  "Java: HAL": "where profiles stand is offered as a guess",
  "Redis: the answer is keyed by prefix": "that profiles and rules are keyed by names and ids is offered as a guess",
  "names of its own": "what the numbers of a mark and a rule mean is offered as a guess, or not known",
  "Erlang: octets and a length in a tuple": "nothing tells what the numbers of a mark mean",
  "rows with more fields than we know": "nothing tells what the numbers of a mark mean",
  "shell: one entry a line": "nothing tells what the numbers of a mark mean",
  "C: OK, a number and lines": "nothing tells what the numbers of a mark mean",
  "C: lines with a head, and a last line": "that the first of the rules is a head is offered as a guess",
  "lines with comments, blank lines and ends as in DOS": "nothing tells what the numbers of a mark mean",
  "Cisco: address and netmask": "nothing tells what the numbers of a mark mean",
  "CSV without a head": "nothing tells what the numbers of a mark mean",
};

test.each(TOLD)("%s: what a probe of a profile finds reads profiles, rules and marks", async (name, shape) => {
  await using node = await startNode(shape, onlyPrefixes);
  node.sets.set(SET, new Map());
  const result = await probedSet(node, { urls: [set, parseUrl("profile://edge/web")] });
  node.sets.set(SET, new Map(Object.entries(heldBy(shape).entries)));
  const read = await byClient({ endpoint: node.endpoint, ...result.node });
  if (name in UNTOLD_OTHERS) expect(read).not.toEqual(readOf(shape));
  else expect(read, JSON.stringify(result.node)).toEqual(readOf(shape));
});
