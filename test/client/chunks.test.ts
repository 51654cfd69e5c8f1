import { describe, expect, it } from "vitest";
import { type ListedEntry, PrefixError } from "../../provider/client";
import { failureOf, reply, SET, script, serve, type TestServer } from "./support";

const entries = (count: number) =>
  Array.from({ length: count }, (_, i) => [`10.0.${i >> 8}.${i & 255}/32`, i] as const);

/** Content of each request: the last octet of each address. */
const carried = (server: TestServer) =>
  server.arrived.map(({ body }) =>
    JSON.parse(body).data.map((entry: { p?: string; a?: string }) =>
      Number(/(\d+)\/32$/.exec(entry.p ?? entry.a ?? "")?.[1]),
    ),
  );

describe("entries are sent in chunks", () => {
  it("by count, in order", async () => {
    await using server = await serve(reply(200));
    const client = server.node({ maxEntriesPerRequest: 2 });
    await client.insert(SET, entries(5));
    expect(carried(server)).toEqual([[0, 1], [2, 3], [4]]);
    expect(JSON.parse(server.arrived[0]?.body ?? "")).toEqual({
      url: "prefixset://edge/blocked",
      cmd: "insert",
      data: [
        { p: "10.0.0.0/32", v: 0 },
        { p: "10.0.0.1/32", v: 1 },
      ],
    });
  });

  it("by bytes of the whole body", async () => {
    await using server = await serve(reply(200));
    const client = server.node({ maxBytesPerRequest: 256 });
    await client.delete(
      SET,
      entries(30).map(([prefix]) => prefix),
    );
    expect(carried(server).flat()).toEqual(entries(30).map(([, i]) => i));
    const sizes = server.arrived.map(({ body }) => Buffer.byteLength(body));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(256);
    expect(sizes[0]).toBeGreaterThan(256 - '{"a":"10.0.0.10/32"},'.length);
  });

  it("halved when the node says 413, and not grown again", async () => {
    await using server = await serve((request, response) => {
      response.writeHead(JSON.parse(request.body).data.length > 3 ? 413 : 200).end();
    });
    const client = server.node({ maxEntriesPerRequest: 8 });
    await client.insert(SET, entries(10));
    expect(carried(server)).toEqual([
      [0, 1, 2, 3, 4, 5, 6, 7],
      [0, 1, 2, 3],
      [0, 1],
      [2, 3],
      [4, 5],
      [6, 7],
      [8, 9],
    ]);
  });

  it("of one entry that is still too large is an error", async () => {
    await using server = await serve(reply(413, "too large"));
    const client = server.node();
    const error = await failureOf(client.insert(SET, entries(4)));
    expect(error).toMatchObject({ outcome: "refused", status: 413, acknowledged: 0, attempted: 1 });
    expect(server.arrived).toHaveLength(3);
  });

  it("and a failure says how many were acknowledged before and how many it carried", async () => {
    await using server = await serve(script(reply(200), reply(200), reply(400, { error: "host bits" })));
    const client = server.node({ maxEntriesPerRequest: 2 });
    const error = await failureOf(client.insert(SET, entries(7)));
    expect(error).toMatchObject({ outcome: "refused", acknowledged: 4, attempted: 2 });
    expect(error.message).toBe(
      `Set prefixset://edge/blocked on ${server.host}: insert failed (HTTP 400): host bits. ` +
        "4 of 7 entries were acknowledged before.",
    );
    expect(server.arrived).toHaveLength(3);
  });

  it("and none at all for no entries", async () => {
    await using server = await serve(reply(200));
    const client = server.node();
    await client.insert(SET, []);
    await client.delete(SET, []);
    expect(server.arrived).toEqual([]);
  });
});

describe("before anything is sent", () => {
  it.each([
    { what: "host bits", entry: ["192.0.2.1/24", 1], error: PrefixError },
    { what: "a negative value", entry: ["192.0.2.0/24", -1], error: TypeError },
    { what: "a value above 2³²−1", entry: ["192.0.2.0/24", 2 ** 32], error: TypeError },
    { what: "a fraction", entry: ["192.0.2.0/24", 1.5], error: TypeError },
    { what: "no number", entry: ["192.0.2.0/24", Number.NaN], error: TypeError },
  ] as const)("$what is refused", async ({ entry, error }) => {
    await using server = await serve(reply(200));
    const client = server.node({ maxEntriesPerRequest: 1 });
    expect(await failureOf(client.insert(SET, [["198.51.100.0/24", 1], entry]))).toBeInstanceOf(error);
    expect(server.arrived).toEqual([]);
  });

  it("addresses become prefixes, and names that would change the url are refused", async () => {
    await using server = await serve(reply(200));
    const client = server.node();
    await client.insert(SET, [["2001:DB8:0::1", 1]]);
    expect(JSON.parse(server.arrived[0]?.body ?? "").data).toEqual([{ p: "2001:db8::1/128", v: 1 }]);
    expect(await failureOf(client.listPrefixSet({ ...SET, set: "a/b" }))).toBeInstanceOf(TypeError);
    expect(await failureOf(client.commit({ ...SET, set: "a“" }))).toBeInstanceOf(TypeError);
    expect(await failureOf(client.insert({ ...SET, arena: "" }, [["192.0.2.0/24", 1]]))).toBeInstanceOf(TypeError);
  });
});

it("a list keeps order, doubles and the node's spelling", async () => {
  await using server = await serve(
    reply(200, [{ p: "192.0.2.1" }, { p: "192.0.2.1/32", v: 2 }, { p: "2001:DB8::1/64", v: "3" }]),
  );
  const client = server.node();
  const shown = ({ prefix, value, spelling }: ListedEntry) => [prefix.toString(), value, spelling];
  expect((await client.listPrefixSet(SET)).map(shown)).toEqual([
    ["192.0.2.1/32", 1, "192.0.2.1"],
    ["192.0.2.1/32", 2, "192.0.2.1/32"],
    ["2001:db8::/64", 3, "2001:DB8::1/64"],
  ]);
});
