import { expect, test, vi } from "vitest";
import { dialect } from "../../provider/emulator/behaviour/dialect";
import { parseJson } from "../../provider/emulator/http/request";
import { stage } from "../../provider/emulator/node/prefix-set-commands";
import { listSet } from "../../provider/emulator/node/set-list";
import { PrefixSetStore } from "../../provider/emulator/state/prefix-set-store";
import { SignalingDeployment } from "../../provider/emulator/state/signaling-deployment";
import { VirtualClock } from "../../provider/emulator/time/clock";
import { Prefix } from "../../provider/model/prefix";
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

/** Number of canonical texts that some work reads. */
function readTexts(work: () => void): number {
  const read = vi.spyOn(Prefix, "fromCanonical");
  work();
  const { length } = read.mock.calls;
  read.mockRestore();
  return length;
}

test("a delete of covered entries does not read the whole set for each of its items", () => {
  const [all, items] = [entries(4_096), entries(500).map(({ p }) => ({ a: p }))];
  const set = new PrefixSetStore(new Map(all.map(({ p, v }) => [p as never, v])));
  const reads = readTexts(() => stage("delete", set, items, dialect({ deleteCovers: "covered" })));
  expect(set.changes.size).toBe(items.length);
  // Each item is found by halves.
  expect(reads).toBeLessThan(items.length * 20);
  stage("delete", set, [{ a: "10.0.4.0/22" }], dialect({ deleteCovers: "covered" }));
  expect(set.staged.map(([prefix]) => prefix)).toEqual(
    all.map(({ p }) => p).filter((_, at) => at >= items.length && (at < 1_024 || at >= 2_048)),
  );
});

test("a start beside many running signalings reads each of them once", () => {
  const texts = entries(1_500).map(({ p }) => p);
  const deployment = new SignalingDeployment(
    [{ clientId: "a", secretKey: "s", prefixes: ["10.0.0.0/8"] }],
    new VirtualClock(),
    0,
  );
  const client = deployment.authenticate("a", "s");
  const how = { signalingPartial: "before", signalingOverlap: "invalid", lease: 0 } as const;
  client?.start(texts.slice(0, 1_000) as never, how);
  const reads = readTexts(() => client?.start([...texts.slice(1_000), texts[0], "10.0.6.0/32"] as never, how));
  expect(reads).toBeLessThan(2_000);
  expect(client?.active()).toEqual(texts);
});
