import { expect, test } from "vitest";
import { Prefix } from "../../provider/model/prefix";
import { parseUrl } from "../../provider/model/resource-url";
import { probe } from "../../provider/probe/probe";
import { type Held, startShapedNode } from "../support/shaped-node";
import { Told } from "../support/told";
import { probedSet } from "./at-once";
import { probed, SECRET, SET, startNode, TOKEN, worldOf } from "./support";

const finding = ({ findings }: Awaited<ReturnType<typeof probe>>, name: string) =>
  findings.find(({ point }) => point === name);

test("changes that are acknowledged and come to nothing are an error, in the node's own words", async () => {
  await using node = await startShapedNode({ [SET]: {} }, { obeys: false, success: () => ({ done: "later" }) });
  const result = await probedSet(node);
  expect(finding(result, "entries")).toMatchObject({
    found: "error",
    node: "what was inserted and committed is never listed",
    evidence: ['commit: HTTP 200 {"done":"later"}', "list after the commit: HTTP 200 []"],
  });
});

test.each([
  [
    "is refused and listed all the same",
    {
      success: (cmd: string, count: number) =>
        cmd === "insert" && count === 2 ? new Told(400, { error: "twice" }) : "ok",
    },
    { outcome: "other", node: "refused; listed with 2", expressed: "beyond", dialect: {} },
  ],
  [
    "is listed without its value",
    { list: (held: Held) => [...held.keys()] },
    { outcome: "taken", node: "accepted, and the list shows no values", expressed: "unknown", dialect: {} },
  ],
])("a prefix twice in one insert that %s shows no value that holds", async (_, shape, expected) => {
  await using node = await startShapedNode({ [SET]: {} }, shape);
  expect(finding(await probedSet(node), "repeated-entry")).toMatchObject(expected);
});

test("a node that redirects to another origin is not followed there, credentials are not sent, and nothing is set", async () => {
  await using emulator = await startNode({ redirect: "307-elsewhere" });
  const result = await probed(emulator);
  expect(result.stopped).toMatch(/^the node redirects to another origin: probe http:\/\/localhost:\d+\/redirected$/);
  // What is there may be a login.
  expect({ dialect: result.dialect, node: result.node }).toEqual({ dialect: {}, node: {} });
  expect(emulator.journal).toHaveLength(1);
});

test("a node that wants credentials says so at once", async () => {
  await using emulator = await startNode({});
  const result = await probe({
    node: { endpoint: emulator.endpoint },
    urls: [parseUrl(SET)],
    write: true,
    world: worldOf(emulator),
  });
  expect(result.stopped).toBe("the node wants credentials: give them by PACKETFILTER_HEADERS");
  expect(finding(result, "credentials")).toMatchObject({ found: "observed", node: "wanted: Bearer" });
  expect(result.dialect).toMatchObject({ credentialsStatus: 401 });
});

test("what a node echoes of its credentials is in no result", async () => {
  await using emulator = await startNode({});
  emulator.fail({ cmd: "list", every: 3, status: 400, message: `refused ${TOKEN}` });
  const result = await probed(emulator);
  expect(JSON.stringify(result)).toContain("refused [secret]");
  expect(JSON.stringify(result)).not.toContain(TOKEN);
});

test.each([
  ["2001:db8:100::/48", "signalingIpv6", "listFormat"],
  ["198.51.100.7/32", "statusForm", "signalingPrefixes"],
])("%s as the prefix of one's own shows %s, and not %s", async (own, known, unknown) => {
  await using emulator = await startNode({});
  const options = { url: emulator.signalingUrl, clientId: "c1", secretKey: SECRET };
  const { dialect, left } = await probed(emulator, { urls: [], receiver: { options, prefix: Prefix.parse(own) } });
  expect(Object.keys(dialect)).toContain(known);
  expect(Object.keys(dialect)).not.toContain(unknown);
  expect({ left, active: emulator.signalings.c1 ?? [] }).toEqual({ left: [], active: [] });
});
