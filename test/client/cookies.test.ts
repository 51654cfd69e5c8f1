import { expect, test } from "vitest";
import { NodeClient } from "../../provider/client";
import { serveRaw } from "../support/raw-server";

const SET = { kind: "prefixset", arena: "edge", set: "blocked" } as const;

test("a node that keeps what is staged by a cookie gets it back with each further request, until it takes it away", async () => {
  const seen: (string | undefined)[] = [];
  const set = ["sid=7; Path=/; HttpOnly", "sid=8", "sid=; Max-Age=0"];
  using server = await serveRaw((request, response) => {
    const cookie = set[seen.length];
    seen.push(request.headers.cookie);
    if (cookie !== undefined) response.setHeader("set-cookie", [cookie, "nonsense"]);
    response.end('{"data":[]}');
  });
  const list = async (client: NodeClient) => {
    for (let count = 0; count < 4; count++) await client.listPrefixSet(SET);
    await client.close();
  };
  await list(new NodeClient({ endpoint: server.url }));
  expect(seen).toEqual([undefined, "sid=7", "sid=8", undefined]);
  seen.length = 0;
  await list(new NodeClient({ endpoint: server.url, headers: { Cookie: "own=1" } }));
  expect(seen).toEqual(Array(4).fill("own=1"));
});

test("a node that sets cookies without end gets back the newest fifty, and none that is longer than 4 096 bytes", async () => {
  const seen: (string | undefined)[] = [];
  using server = await serveRaw((request, response) => {
    seen.push(request.headers.cookie);
    const count = seen.length;
    response.setHeader("set-cookie", [`sid-${count}=${count}`, `sid-1=again`, `long=${"x".repeat(4_093)}`]);
    response.end('{"data":[]}');
  });
  const client = new NodeClient({ endpoint: server.url });
  for (let count = 0; count < 120; count++) await client.listPrefixSet(SET);
  await client.close();
  const kept = Array.from({ length: 49 }, (_, index) => `sid-${71 + index}=${71 + index}`);
  expect(seen.at(-1)).toBe([...kept, "sid-1=again"].join("; "));
});
