import { expect, test } from "vitest";
import { dialect } from "../../provider/emulator/behaviour/dialect";
import { parseJson } from "../../provider/emulator/http/request";
import { listSet } from "../../provider/emulator/node/set-list";
import { PrefixSetStore } from "../../provider/emulator/state/prefix-set-store";
import { BLOCKED } from "./calls";

const entries = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    p: `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}/32`,
    v: 1 + (at % 9),
  }));
const asRecord = (data: { p: string; v: number }[]) => Object.fromEntries(data.map(({ p, v }) => [p, v]));

test("a list stays in order after changes, IPv4 before IPv6, and shows the last commit", () => {
  const set = new PrefixSetStore(new Map(entries(3_000).map(({ p, v }) => [p as never, v])));
  const prefixes = (entries: typeof set.ordered) => entries.map(([prefix]) => prefix);
  const first = prefixes(set.ordered);
  set.change(
    new Map(["2001:db8::/32", "10.0.0.0/8", "10.0.0.0/31"].map((text) => [text as never, 1])).set(
      first[5] as never,
      null as never,
    ),
  );
  expect(prefixes(set.ordered).slice(0, 3)).toEqual(["10.0.0.0/8", "10.0.0.0/31", "10.0.0.0/32"]);
  expect(prefixes(set.ordered).at(-1)).toBe("2001:db8::/32");
  expect(prefixes(set.ordered)).not.toContain(first[5]);
  expect(prefixes(set.previous)).toEqual(first);
});

const items = JSON.stringify(entries(4_000)).slice(1, -1);
const request = (data: string) => `{"url":"${BLOCKED}","cmd":"insert","data":${data}}`;
test("a body that is not UTF-8 in its middle is refused as such", () => {
  const body = Buffer.from(request(`[${items},"x",${items}]`));
  body[body.indexOf('"x"') + 1] = 0xff;
  expect(() => parseJson(body)).toThrow("the body is not UTF-8");
});

test("a long list is encoded once for all its readers", () => {
  const listed = new PrefixSetStore(new Map(entries(9_000).map(({ p, v }) => [p as never, v]))).ordered;
  const [form, spellings] = [dialect(), new Map()];
  const url = { kind: "prefixset", arena: "edge", set: "blocked" } as const;
  const reply = listSet(listed, spellings, url, form);
  expect(listSet(listed, spellings, url, form).body).toBe(reply.body);
  expect(JSON.parse(String(reply.body))).toEqual({ data: entries(9_000) });
  const keyed = listSet(listed, spellings, url, dialect({ listEnvelope: "keyed" }));
  expect(JSON.parse(String(keyed.body))).toEqual(asRecord(entries(9_000)));
});
