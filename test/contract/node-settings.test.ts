import type { ServerResponse } from "node:http";
import { expect, it } from "vitest";
import { NodeClient, type NodeOptions } from "../../provider/client";
import { Runtime } from "../../provider/deployment/runtime";
import { PrefixSetHandler } from "../../provider/resources/prefix-set/handler";
import { serve } from "../client/support";

const SET = "prefixset://edge/blocked";

/**
 * A node that commits all sets of an arena at once, ignores an insert of an entry that is there, and tells success in XML. Its
 * lists of marks have types, names and units of their own.
 */
async function startNode() {
  const applied = new Map<string, number>();
  let staged = new Map<string, number>();
  const sent: string[] = [];
  const server = await serve(({ body }, response) => void answer(body, response));
  const answer = (body: string, response: ServerResponse) => {
    const { url, cmd, data = [], type } = JSON.parse(body);
    if (!url.startsWith("mark:")) sent.push(cmd === "commit" ? `commit ${url}` : cmd);
    const xml = (status: string) => response.writeHead(200).end(`<?xml version="1.0"?><status>${status}</status>`);
    const json = (value: unknown) => response.writeHead(200).end(JSON.stringify(value));
    if (cmd === "list" && url === SET) return json({ data: [...applied].map(([p, v]) => ({ p, v })) });
    if (cmd === "list" && url.startsWith("profile:")) return json([{ id: 1, num: 30, name: "drop" }]);
    if (cmd === "list")
      return type === "src-host"
        ? json([{ id: 9, markid: 30, a: "203.0.113.9", v: 7, t: 61_500, age: 1_999 }])
        : xml(`no type ${type}`);
    if (cmd === "insert") for (const { p, v } of data) staged.set(p, staged.get(p) ?? v);
    if (cmd === "delete") for (const { a } of data) staged.delete(a);
    if (cmd === "commit" && url !== "prefixset://edge") return xml("no such resource");
    if (cmd === "commit") {
      applied.clear();
      for (const [p, v] of staged) applied.set(p, v);
      staged = new Map(applied);
    }
    return xml("ok");
  };
  return { server, applied, sent, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const SETTINGS = {
  commitUrl: "prefixset://{arena}",
  insertExisting: "ignored",
  answers: {
    success: { text: "<status>ok</status>" },
    names: { id: { rules: "num", marks: "markid" } },
    units: { lifetime: "ms", age: "ms" },
    markTypes: { shost: "src-host" },
  },
} as const satisfies Partial<NodeOptions>;

it("a set is created, changed and destroyed by these settings, and without each of them the up fails", async () => {
  const declare = (value: number) => ({ arena: "edge", set: "blocked", entries: { "192.0.2.0/24": value } });
  const handlerOf = (endpoint: string, settings: Partial<NodeOptions>) => {
    const runtime = new Runtime({ env: {}, print: () => {} });
    const node = { commitCoalesceMs: 0, deadlineMs: 500, ...settings };
    runtime.configure((key: string) => ({ endpoint, node })[key]);
    return new PrefixSetHandler(runtime);
  };
  await using node = await startNode();
  const handler = handlerOf(node.server.url, SETTINGS);
  const { outs } = await handler.create(handler.check({}, declare(1)).inputs);
  const later = handlerOf(node.server.url, SETTINGS);
  await later.update(SET, outs, later.check(outs, declare(2)).inputs);
  expect(Object.fromEntries(node.applied)).toEqual({ "192.0.2.0/24": 2 });
  const last = handlerOf(node.server.url, SETTINGS);
  await last.delete(SET, { ...outs, entries: { "192.0.2.0/24": 2 } });
  expect(Object.fromEntries(node.applied)).toEqual({});
  const commit = "commit prefixset://edge";
  expect(node.sent).toEqual([
    ...["list", "insert", commit, "list"],
    ...["list", "delete", "insert", commit, "list"],
    ...["list", "delete", commit, "list"],
  ]);
  for (const missing of ["commitUrl", "answers"] as const) {
    await using other = await startNode();
    const { [missing]: _, ...rest } = SETTINGS;
    const without = handlerOf(other.server.url, rest);
    await expect(without.create(without.check({}, declare(1)).inputs)).rejects.toThrow();
    expect(Object.fromEntries(other.applied)).toEqual({});
  }
});

it("marks and rules are read by names of each kind, in the node's units and by its words for types", async () => {
  await using node = await startNode();
  const client = new NodeClient({ endpoint: node.server.url, markPace: "off", ...SETTINGS });
  expect(await client.listMarks("edge", "web", "shost")).toEqual([
    { address: "203.0.113.9", id: 30, value: 7, lifetime: 61, age: 1, extra: { id: 9 } },
  ]);
  expect(await client.listRules("edge", "web")).toEqual([{ id: 30, name: "drop", extra: { id: 1 } }]);
  await client.close();
});
