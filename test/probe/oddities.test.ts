import { expect, test } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { Prefix } from "../../provider/model/prefix";
import { parseUrl } from "../../provider/model/resource-url";
import { probe } from "../../provider/probe/probe";
import { type Shape, startShapedNode } from "../support/shaped-node";
import { atOnce } from "./at-once";
import { probed, SET, startNode, TOKEN, worldOf } from "./support";

/** Probes a node that no emulator plays, by its set alone. */
async function probeShaped(shape: Shape) {
  await using node = await startShapedNode({ [SET]: {} }, shape);
  const options = { urls: [parseUrl(SET)], write: true, limits: { entries: 20, bytes: 2_048 }, world: atOnce() };
  const result = await probe({ node: { endpoint: node.endpoint }, ...options });
  expect([...(node.sets.get(SET) ?? [])]).toEqual([]);
  return result;
}

const finding = ({ findings }: Awaited<ReturnType<typeof probe>>, name: string) =>
  findings.find(({ point }) => point === name);

test("an empty keyed list that is {} needs a setting, and so does another name for length", async () => {
  const keyed = await probeShaped({ list: (held) => Object.fromEntries(held) });
  expect(keyed.node).toEqual({ answers: { empty: "{}" } });
  const split = await probeShaped({
    list: (held) => ({
      payload: [...held].map(([p, v]) => ({
        subnet: p.split("/")[0],
        size: Number(p.split("/")[1]),
        weight: v,
        at: 17,
      })),
    }),
  });
  expect(split.node).toEqual({
    answers: { path: { prefixset: "payload" }, names: { prefix: "subnet", prefixLength: "size", value: "weight" } },
  });
  expect(split.dialect).toMatchObject({ listEnvelope: "payload", prefixKey: "subnet", lengthKey: "size" });
});

test("changes that are acknowledged and come to nothing are an error, in the node's own words", async () => {
  const result = await probeShaped({ obeys: false, success: () => ({ done: "later" }) });
  expect(finding(result, "entries")).toMatchObject({
    found: "error",
    node: "what was inserted and committed is never listed",
    evidence: ['commit: HTTP 200 {"done":"later"}', "list after the commit: HTTP 200 []"],
  });
});

test("a node that redirects to another origin is not followed there, and credentials are not sent", async () => {
  await using emulator = await startNode({ redirect: "307-elsewhere" });
  const result = await probed(emulator);
  expect(result.stopped).toMatch(/^the node redirects to another origin: probe http:\/\/localhost:\d+\/redirected$/);
  expect(result.dialect).toEqual({ redirect: "307-elsewhere" });
  expect(result.node.endpoint).toMatch(/^http:\/\/localhost:\d+\/redirected$/);
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

test("an IPv6 prefix of one's own, and a single address, tell what they can", async () => {
  const own = ["2001:db8:100::/48", "198.51.100.7/32"];
  for (const [text, known, unknown] of [
    [own[0], "signalingIpv6", "none"],
    [own[1], "statusForm", "signalingPrefixes"],
  ] as const) {
    await using emulator = await startEmulator({
      state: {
        arenas: { edge: { profiles: { clean: {}, web: {} } } },
        signaling: {
          clients: [
            {
              clientId: "c1",
              secretKey: "s",
              prefixes: own,
              arena: "edge",
              idleProfile: "clean",
              activeProfile: "web",
            },
          ],
        },
      },
    });
    const options = { url: emulator.signalingUrl, clientId: "c1", secretKey: "s" };
    const { dialect, left } = await probe({ urls: [], receiver: { options, prefix: Prefix.parse(text ?? "") } });
    expect(Object.keys(dialect)).toContain(known);
    expect(Object.keys(dialect)).not.toContain(unknown);
    expect({ left, active: emulator.signalings.c1 ?? [] }).toEqual({ left: [], active: [] });
  }
});
