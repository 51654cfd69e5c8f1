import { describe, expect, it } from "vitest";
import { NodeClient, parseUrl } from "../../provider/client";
import { NODES } from "../support/shapes/nodes";
import {
  byCapture,
  byClient,
  byForwarder,
  byImport,
  byList,
  entriesOf,
  type Target,
  told,
} from "../support/shapes/readings";
import { NOWHERE, readOf, SET } from "../support/shapes/shape";
import { startNode } from "../support/shapes/start";

const ROWS = Object.entries(NODES);
type SetUrl = Parameters<NodeClient["listPrefixSet"]>[0];

it("at least sixty nodes are read", () => expect(ROWS.length).toBeGreaterThanOrEqual(60));

describe("what a node holds", () => {
  it.each(ROWS)("%s: is the same to the client, to list, capture and import", async (_name, shape) => {
    await using node = await startNode(shape);
    const content = readOf(shape);
    // A state has an id for each mark, and nothing that no emulator knows.
    const captured = { ...content, marks: content.marks.map(({ extra: _, ...mark }) => ({ id: 0, ...mark })) };
    expect({
      client: await byClient(node.target),
      list: await byList(node.target),
      capture: await byCapture(node.target),
      import: await byImport(node.target),
    }).toEqual({ client: content, list: content, capture: captured, import: content.entries });
  });

  it("is the same to a forwarder of all of them", async () => {
    await using all = new AsyncDisposableStack();
    const targets: Record<string, Target> = {};
    for (const [name, shape] of ROWS) targets[name] = all.use(await startNode(shape)).target;
    const marks = Object.fromEntries(ROWS.map(([name, shape]) => [name, readOf(shape).marks]));
    expect(await byForwarder(targets)).toEqual(marks);
  });
});

describe("what is written", () => {
  it.each(ROWS)("%s: is there after a commit, and all of it can be deleted", async (_name, shape) => {
    await using node = await startNode(shape);
    const client = new NodeClient(node.target, { maxTries: 1 });
    const set = parseUrl(SET) as SetUrl;
    const list = async () => entriesOf(await client.listPrefixSet(set));
    const { entries } = readOf(shape);
    await client.insert(set, [
      ["203.0.113.128/25", shape.isFlat ? 1 : 4_294_967_295],
      ["198.51.100.7/32", 1],
    ]);
    await client.commit(set);
    const written = { ...entries, "203.0.113.128/25": shape.isFlat ? 1 : 4_294_967_295 };
    expect(await list()).toEqual(written);
    const listed = await client.listPrefixSet(set);
    await client.delete(
      set,
      listed.map(({ spelling }) => spelling),
    );
    await client.commit(set);
    expect(await list()).toEqual({});
    await client.close();
  });

  it.each(ROWS)("%s: a set that is not there is an error, or empty where the settings say so", async (_name, shape) => {
    await using node = await startNode(shape);
    const list = async (target: Target) => {
      const client = new NodeClient(target, { maxTries: 1 });
      const reading = await client.listPrefixSet(parseUrl(NOWHERE) as SetUrl).catch((error) => told(target, error));
      await client.close();
      return reading;
    };
    const { absent, ...answers } = node.target.answers ?? {};
    const strict = await list({ ...node.target, answers });
    expect(strict).toMatch(/^Set prefixset:\/\/edge\/nowhere on NODE: list failed \(HTTP \d+\): ./);
    if (absent !== undefined) expect(await list(node.target)).toEqual([]);
  });
});
