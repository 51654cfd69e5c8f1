import { expect, it } from "vitest";
import type { Mark } from "../../provider/client";
import { connectionKey } from "../../provider/client/credentials";
import { SharedMarks } from "../../provider/settings/shared-marks";

it("calls share an answer until the pause after it ends, but no failure", async () => {
  let now = 0;
  const shared = new SharedMarks({ monotonic: () => now });
  const lists: ((marks: Mark[] | Error) => void)[] = [];
  const ask = () =>
    new Promise<Mark[]>((resolve, reject) => {
      lists.push((marks) => (marks instanceof Error ? reject(marks) : resolve(marks)));
    });
  const read = (key = "table") => shared.read(key, 3_000, ask);

  const first = [read(), read()];
  now = 60_000;
  first.push(read());
  lists[0]?.([{ id: 1 }]);
  expect(await Promise.all(first)).toEqual([[{ id: 1 }], [{ id: 1 }], [{ id: 1 }]]);
  now += 2_999;
  expect(await read()).toEqual([{ id: 1 }]);
  now += 1;
  const second = [read(), read(), read("other table")];
  expect(lists).toHaveLength(3);
  lists[1]?.(new Error("gone"));
  lists[2]?.([]);
  expect(await Promise.allSettled(second)).toMatchObject([
    { status: "rejected" },
    { status: "rejected" },
    { value: [] },
  ]);
  void read();
  expect(lists).toHaveLength(4);
});

it("the list that one caller changes is not the list of the other", async () => {
  const shared = new SharedMarks();
  const [one, other] = await Promise.all([
    shared.read("k", 1, async () => [{ id: 1 }]),
    shared.read("k", 1, async () => []),
  ]);
  one?.pop();
  expect(other).toEqual([{ id: 1 }]);
});

it("a connection is the same however it is spelled, and another with other credentials", () => {
  const key = (options: object) => connectionKey({ endpoint: "http://192.0.2.10", ...options });
  expect(key({ endpoint: "HTTP://192.0.2.10:80/fapi/", timeoutMs: 5 })).toBe(key({}));
  expect(key({ headers: { B: "1", a: "2" } })).toBe(key({ headers: { a: "2", b: "1" } }));
  const others = [{ headers: { a: "1" } }, { endpoint: "http://u:p@192.0.2.10" }, { userArena: "x" }, { answers: {} }];
  expect(new Set([key({}), ...others.map(key)]).size).toBe(5);
});
