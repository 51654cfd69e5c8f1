import { expect, test } from "vitest";
import { parseUrl } from "../../provider/model/resource-url";
import { noteLine, readUndo } from "../../provider/probe/asking/undo";
import type { ProbeOptions } from "../../provider/probe/probe";
import { startShapedNode } from "../support/shaped-node";
import { Told } from "../support/told";
import type { Reply } from "./appliances/appliance";
import { type NodeKind, PLAIN } from "./appliances/nodes";
import { probed, startDrawn } from "./appliances/probing";
import { RECEIVERS, type ReceiverKind } from "./appliances/receivers";
import { probedSet } from "./at-once";
import { probed as probedEmulator, startNode } from "./support";

const LIMITS = { entries: 400, bytes: 16_384 };

/** Probes an appliance that is plain but for some answers, and lets nothing be left behind. */
async function probedWith(
  answers: { readonly node?: Partial<NodeKind>; readonly receiver?: Partial<ReceiverKind> },
  options: Partial<ProbeOptions> = {},
) {
  const kinds = { node: { ...PLAIN, ...answers.node }, receiver: { ...RECEIVERS.plain, ...answers.receiver } };
  await using appliance = await startDrawn(kinds);
  const { url: endpoint } = appliance;
  const result = await probed(appliance, { limits: LIMITS, ...options, node: { endpoint, ...options.node } });
  expect([result.left, appliance.held("edge/probe"), appliance.signaled()]).toEqual([[], {}, []]);
  const said = (point: string) => {
    const { expressed, node: text, advice } = result.findings.find((one) => one.point === point) ?? {};
    return { expressed, text, advice };
  };
  return { ...result, said };
}

test.each<[string, Reply]>([
  ["a page that is not there", { status: 404, body: "not found" }],
  ["a form", { body: "<html><title>Log in</title></html>" }],
])("a redirect to a login is no address of the node: %s", async (_, login) => {
  const instead: NodeKind["instead"] = ({ path }) =>
    path.startsWith("/login") ? login : { status: 302, body: "", headers: { location: "/login" } };
  const { said, node, dialect } = await probedWith({ node: { instead } }, { write: false });
  expect(said("redirect").expressed).toBe("unknown");
  expect({ node, redirect: dialect.redirect }).toEqual({ node: {}, redirect: undefined });
});

const json = (value: unknown, status = 200): Reply => ({ status, body: JSON.stringify(value) });

test("a node that refuses blanks after a command has no limit of bytes", async () => {
  const instead: NodeKind["instead"] = ({ body }) => (/\s$/.test(body) ? json({ error: "more data" }, 400) : undefined);
  const { said, node } = await probedWith({ node: { instead } });
  expect(said("largest-body").expressed).toBe("unknown");
  expect(node).toEqual({});
});

test.each([{ result: "oversize" }, { info: "request exceeds 4096 bytes" }])(
  "an answer with status 200 that is not the list is no list of that many bytes: %o",
  async (answer) => {
    const instead: NodeKind["instead"] = ({ body }) => (body.length > 4_096 ? json(answer) : undefined);
    const { said, node } = await probedWith({ node: { instead } });
    expect(said("largest-body")).toMatchObject({ expressed: "setting", text: "at most 4 096 bytes" });
    expect(node.maxBytesPerRequest).toBe(4_096);
  },
);

/** Answers some inserts in place of the node. */
function inserts(isMeant: (count: number) => boolean, answer: Reply): NodeKind["instead"] {
  let count = 0;
  return ({ command: { cmd } }) => (cmd === "insert" && isMeant(++count) ? answer : undefined);
}

test.each([2, 3, 4, 5])("every %i. insert that is asked to come again is no refusal", async (number) => {
  const instead = inserts((count) => count % number === 0, json({ error: "busy, try again" }, 409));
  const { node, dialect, findings } = await probedWith({ node: { instead } });
  expect(node).toEqual({});
  expect(findings.filter(({ found, expressed }) => found === "error" || expressed === "beyond")).toEqual([]);
  expect(dialect).toMatchObject({ insertExisting: "overwrite", repeatedEntry: "last", hostBits: "mask" });
});

test("a node that refuses all inserts after some has refused none for what is in it", async () => {
  const instead = inserts((count) => count > 3, json({ error: "over quota" }, 400));
  const { node, dialect } = await probedWith({ node: { instead } });
  const { ipv6, hostBits, insertExisting, repeatedEntry, refusedEntry, deleteAbsent } = dialect;
  const said = { node, ipv6, hostBits, insertExisting, repeatedEntry, refusedEntry, deleteAbsent };
  expect(said).toEqual({ node: {}, deleteAbsent: "success" });
});

test("one refusal among requests of the same size is no limit", async () => {
  let [value, size] = [0, 0];
  const instead: NodeKind["instead"] = ({ body, command: { cmd, data = [] } }) => {
    const isOnce = cmd === "insert" && ((/"v":\d{6}/.test(body) && ++value === 1) || (data.length > 9 && ++size === 1));
    return isOnce ? json({ error: "not now" }, 400) : undefined;
  };
  const { node } = await probedWith({ node: { instead } });
  expect([node, value > 1, size > 1]).toEqual([{}, true, true]);
});

const SET = "prefixset://edge/probe";
const BLOCKED = "prefixset://edge/blocked";

test.each<[string, "unknown" | "beyond", (rows: readonly { p: string }[]) => unknown]>([
  ["a list that fails", "unknown", () => new Told(500, { error: "internal error in formatter" })],
  [
    "another prefix",
    "beyond",
    (rows) => rows.map((row) => (row.p.includes(":") ? { ...row, p: "2001:db8::/32" } : row)),
  ],
])("IPv6 is accepted where the list shows what was sent, and not by %s", async (_, expressed, list) => {
  await using node = await startShapedNode(
    { [SET]: {} },
    {
      list: (held) => {
        const rows = [...held].map(([p, v]) => ({ p, v }));
        return rows.some(({ p }) => p.includes(":")) ? list(rows) : rows;
      },
      key: (text) => (text === "2001:db8::/32" ? "2001:db8:77::/48" : text),
    },
  );
  const { findings, dialect, left } = await probedSet(node, { limits: LIMITS });
  expect(findings.find(({ point }) => point === "ipv6")).toMatchObject({ expressed });
  expect({ left, ipv6: dialect.ipv6 }).toEqual({ left: [], ipv6: undefined });
});

test("a list that is refused before the commit does not show applied entries", async () => {
  const instead: NodeKind["instead"] = ({ command: { url, cmd } }, appliance) =>
    cmd === "list" && url?.startsWith(SET) && appliance.waiting() > 0
      ? json({ error: "uncommitted changes: commit first" }, 409)
      : undefined;
  const { said, dialect } = await probedWith({ node: { instead } });
  expect(said("list-shows").expressed).toBe("unknown");
  expect(dialect.listShows).toBeUndefined();
});

test("an answer that is not the list is no answer to one of two at once", async () => {
  const { said, node } = await probedWith({
    node: {
      oneAtATime: true,
      refused: (why) => (why === "busy" ? json({ state: "locked", retry: true }) : PLAIN.refused(why)),
    },
  });
  expect(said("requests-at-once").expressed).toBe("setting");
  expect(node).toEqual({ maxConcurrency: 1 });
});

test.each<[string, (lists: number) => number]>([
  ["adds entries to", (lists) => lists],
  ["after 4 lists empties", (lists) => (lists > 4 ? 0 : 1)],
  ["after 5 lists empties", (lists) => (lists > 5 ? 0 : 1)],
  ["after 6 lists empties", (lists) => (lists > 6 ? 0 : 1)],
])("another writer that %s the list is no refusal of two at once", async (_, entriesAfter) => {
  let lists = 0;
  const instead: NodeKind["instead"] = ({ command: { url } }) =>
    url?.startsWith(BLOCKED)
      ? json({ data: Array.from({ length: entriesAfter(++lists) }, (_, at) => ({ p: `192.0.2.${at}/32`, v: 1 })) })
      : undefined;
  const { said, node } = await probedWith({ node: { instead } }, { write: false, urls: [parseUrl(BLOCKED)] });
  expect(said("requests-at-once").expressed).toBe("contract");
  expect(node).toEqual({});
});

test("where no list is answered, nothing is known about two at once", async () => {
  const instead: NodeKind["instead"] = () => json({ error: "no such thing" }, 404);
  const { said } = await probedWith({ node: { instead } }, { write: false });
  expect(said("requests-at-once").expressed).toBe("unknown");
});

test.each([
  [{}, "if it wants credentials, give them by PACKETFILTER_HEADERS"],
  [{ authorization: "Bearer node-secret" }, undefined],
])(
  "a 403 about one set does not show that credentials are wanted, with headers %o, and advises: %s",
  async (headers, advice) => {
    const instead: NodeKind["instead"] = ({ command: { url } }) =>
      url?.startsWith(SET) ? json({ error: "set probe belongs to another tenant" }, 403) : undefined;
    const { said, stopped } = await probedWith({ node: { instead } }, { write: false, node: { headers } as never });
    expect(said("credentials")).toMatchObject({ expressed: "unknown", advice });
    expect({ stopped, profiles: said("profiles-list").text }).not.toMatchObject({ stopped: expect.anything() });
  },
);

test("a limit of different entries is met, though copies of one have none", async () => {
  const instead: NodeKind["instead"] = ({ command: { cmd, data = [] } }) =>
    cmd === "insert" && new Set(data.map((entry) => JSON.stringify(entry))).size > 100
      ? json({ error: "more than 100 entries" }, 413)
      : undefined;
  const { said, node } = await probedWith({ node: { instead } });
  expect(said("most-entries").text).toBe("at most 100 different entries");
  expect(node).toEqual({ maxEntriesPerRequest: 100 });
});

test("without IPv6 few entries differ, and a limit of more is unknown: it is said how many were tried", async () => {
  const { said } = await probedWith({});
  const text = "no limit was met up to 384 different entries, the largest tried";
  expect(said("most-entries")).toMatchObject({ expressed: "unknown", text });
});

test.each([
  [1_000, { expressed: "setting", node: "at most 1 000 different entries" }, { maxEntriesPerRequest: 1_000 }],
  [6_000, { expressed: "contract", node: "no limit was met up to 5 000 different entries, the largest tried" }, {}],
])("a limit of %i entries is looked for up to what a client sends", async (maxEntriesPerRequest, said, settings) => {
  await using emulator = await startNode({ maxEntriesPerRequest });
  let notes = noteLine({ begun: {} });
  const note: ProbeOptions["note"] = (one) => {
    notes += noteLine(one);
  };
  const { findings, node, left, stopped } = await probedEmulator(emulator, { limits: {}, note });
  expect(readUndo(notes).inserted).toEqual([]);
  expect(findings.find(({ point }) => point === "most-entries")).toMatchObject(said);
  const { applied } = emulator.prefixSet(SET);
  expect({ left, node, stopped, applied }).toEqual({ left: [], node: settings, applied: {} });
});

test.each([3, 4, 5, 6, 7, 8])("a receiver that refuses all starts after %i says nothing by that", async (most) => {
  let starts = 0;
  const instead: ReceiverKind["instead"] = ({ path }) =>
    path.includes("receiver-secret/start") && ++starts > most ? json({ error: "too many starts" }, 403) : undefined;
  const { findings } = await probedWith({ receiver: { instead } });
  const { signalingPrefixes, signalingAddress, signalingOverlap, signalingPartial } = Object.assign(
    {},
    ...findings.map(({ dialect }) => dialect),
  );
  // A quota tells nothing: whatever is said is as it is without one.
  expect([undefined, "within"]).toContain(signalingPrefixes);
  expect([undefined, "cidr"]).toContain(signalingAddress);
  expect([undefined, "accepted"]).toContain(signalingOverlap);
  expect([undefined, "all-or-nothing"]).toContain(signalingPartial);
  expect(findings.some(({ point, expressed }) => /^signaling/.test(point) && expressed === "unknown")).toBe(true);
});

test("a receiver that takes any secret can be used, whatever word is its success", async () => {
  const active = new Set<string>();
  const instead: ReceiverKind["instead"] = ({ path, body }) => {
    if (path.endsWith("/status")) return json({ IP_prefix: [...active] });
    for (const prefix of JSON.parse(body).IP_prefix)
      path.endsWith("/start") ? active.add(prefix) : active.delete(prefix);
    return json({ rc: 17 });
  };
  const { unusable, receiver } = await probedWith({ receiver: { instead } });
  expect({ unusable, receiver }).toEqual({
    unusable: [],
    receiver: { answers: { success: { member: "rc", values: [17] } } },
  });
});
