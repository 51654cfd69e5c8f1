import { expect, it } from "vitest";
import { EntryTexts, EqualTexts } from "../../provider/client/equal-nodes";

const frame = { head: '{"data":[', tail: "]}" };
const limits = { entries: 2, bytes: 1_000 };

it("the body for nodes that get the same entries is put together once", () => {
  const texts = new EntryTexts(['{"a":1}', '{"a":2}', '{"a":3}']);
  const [first, rest] = [texts.chunk(frame, 0, limits), texts.chunk(frame, 2, limits)];
  expect([first, rest]).toEqual([
    { body: '{"data":[{"a":1},{"a":2}]}', end: 2 },
    { body: '{"data":[{"a":3}]}', end: 3 },
  ]);
  expect(texts.chunk(frame, 0, { ...limits })).toBe(first);
});

it("another address and other limits make other bodies", () => {
  const texts = new EntryTexts(['{"a":1}', '{"a":2}']);
  const bodies = [
    texts.chunk(frame, 0, limits),
    texts.chunk({ ...frame, head: '{"url":"u","data":[' }, 0, limits),
    texts.chunk(frame, 0, { ...limits, entries: 1 }),
    texts.chunk(frame, 0, { ...limits, bytes: 20 }),
  ];
  expect(bodies.map(({ body }) => body)).toEqual([
    '{"data":[{"a":1},{"a":2}]}',
    '{"url":"u","data":[{"a":1},{"a":2}]}',
    '{"data":[{"a":1}]}',
    '{"data":[{"a":1}]}',
  ]);
});

it("entries that are the same are made once, other ones anew", () => {
  const made: string[] = [];
  const deletes = new EqualTexts((item) => {
    made.push(item);
    return JSON.stringify({ a: item });
  });
  const first = deletes.of(["192.0.2.0/24", "203.0.113.0/24"]);
  expect(deletes.of(["192.0.2.0/24", "203.0.113.0/24"])).toBe(first);
  expect(deletes.of(["192.0.2.0/24"])).not.toBe(first);
  expect(made).toEqual(["192.0.2.0/24", "203.0.113.0/24", "192.0.2.0/24"]);
});
