import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import * as pf from "../../provider";
import { systemClock } from "../../provider/client/clock";
import { systemWorld } from "../../provider/client/world";
import { type Emulator, startEmulator } from "../../provider/emulator";

let emulator: Emulator;

beforeAll(async () => {
  emulator = await startEmulator({
    state: {
      arenas: {
        edge: {
          sets: { blocked: { "2001:db8::/32": 3 } },
          profiles: {
            web: {
              sets: { local: { "192.0.2.0/24": 1 } },
              rules: [{ id: 70001, name: "syn", actions: [{ hmark: {} }] }],
              marks: { shost: [{ address: "203.0.113.9", id: 70001, value: 12 }] },
            },
          },
        },
      },
    },
  });
  // The emulator's clock for both sides: it moves by the pauses that the client makes.
  emulator.clock.freeze();
  for (const clock of [systemClock, systemWorld]) {
    vi.spyOn(clock, "monotonic").mockImplementation(() => emulator.clock.ms);
    vi.spyOn(clock, "sleep").mockImplementation(async (ms) => emulator.clock.advance(Math.ceil(ms)));
  }
  const [client] = emulator.clients;
  pulumi.runtime.setAllConfig({
    "packetfilter:endpoint": emulator.endpoint,
    "packetfilter:nodes": JSON.stringify({ fra1: { endpoint: emulator.endpoint, userArena: "other" } }),
    "packetfilter:signalingUrl": emulator.signalingUrl,
    "packetfilter:clientId": client?.clientId ?? "",
    "packetfilter:secretKey": client?.secretKey ?? "",
  });
});

afterAll(async () => {
  vi.restoreAllMocks();
  pulumi.runtime.setAllConfig({});
  await emulator.close();
});

/** The value of an output. */
function value<T>(output: pulumi.Output<T>): Promise<T> {
  return new Promise((resolve) => output.apply(resolve));
}

describe("read functions", () => {
  it("read profiles, rules, marks, sets and signalings of the configured node and receiver", async () => {
    emulator.signal("client-a", { start: ["198.51.100.7"] });
    expect((await pf.getProfiles({ arena: "edge" })).map(({ name }) => name)).toEqual(["web"]);
    expect(await pf.getRules({ arena: "edge", profile: "web" })).toMatchObject([{ id: 70001, name: "syn" }]);
    expect(await pf.getMarks({ arena: "edge", profile: "web", type: "shost" })).toMatchObject([
      { address: "203.0.113.9", id: 70001, value: 12 },
    ]);
    expect(await pf.getPrefixSet({ arena: "edge", set: "blocked" })).toEqual({ "2001:db8::/32": 3 });
    expect(await pf.getPrefixSet({ arena: "edge", profile: "web", set: "local" })).toEqual({ "192.0.2.0/24": 1 });
    expect(await pf.getSignalings()).toEqual(["198.51.100.7/32"]);
  });

  it("take Inputs in their Output forms, and nodes by name or as objects", async () => {
    const arena = pulumi.output("edge");
    const profile = pulumi.output("web");
    expect(await value(pf.getProfilesOutput({ arena }))).toHaveLength(1);
    expect(await value(pf.getRulesOutput({ arena, profile, node: "fra1" }))).toHaveLength(1);
    const node = { endpoint: pulumi.output(emulator.endpoint) };
    expect(await value(pf.getMarksOutput({ arena, profile, type: "dhost", node }))).toEqual([]);
    expect(await value(pf.getPrefixSetOutput({ arena, set: "blocked" }))).toEqual({ "2001:db8::/32": 3 });
    expect(await value(pf.getSignalingsOutput())).toHaveLength(1);
  });

  it("send the arena as User-Arena, or what the node or the call says", async () => {
    emulator.clearJournal();
    const marks = { arena: "edge", profile: "web", type: "conn" } as const;
    await pf.getMarks(marks);
    await pf.getMarks({ ...marks, node: "fra1" });
    await pf.getMarks({ ...marks, userArena: "mine" });
    expect(emulator.requests().map(({ headers }) => headers["user-arena"])).toEqual(["edge", "other", "mine"]);
  });

  it("share one mark list among calls within three seconds, and keep no failure", async () => {
    emulator.clearJournal();
    const marks = { arena: "edge", profile: "web", type: "sdhost" } as const;
    await Promise.all([pf.getMarks(marks), pf.getMarks(marks)]);
    await pf.getMarks(marks);
    expect(emulator.requests({ type: "sdhost" })).toHaveLength(1);
    await expect(pf.getMarks({ ...marks, profile: "wbe" })).rejects.toThrow(/mark:\/\/edge\/wbe/);
    await expect(pf.getMarks({ ...marks, profile: "wbe" })).rejects.toBeInstanceOf(pf.RequestError);
    expect(emulator.requests({ url: "mark://edge/wbe" })).toHaveLength(2);
  });

  it("keep one pace for a table, however its list is asked for", async () => {
    emulator.clearJournal();
    const [arena, profile, type] = ["edge", "web", "shost"] as const;
    const { endpoint } = emulator;
    const forms: pf.GetMarksArgs[] = [
      { arena, profile, type },
      { type, profile, arena },
      { arena, profile, type, node: { endpoint: `${endpoint}/fapi/` } },
      { arena, profile, type, node: "fra1" },
      { node: { headers: { "X-Team": "a" }, endpoint }, type, profile, arena },
      { node: { endpoint, headers: { "x-team": "a" } }, arena, profile, type },
      { arena, profile, type, userArena: "mine" },
    ];
    await Promise.all(forms.map((form) => pf.getMarks(form)));
    await Promise.all(forms.map((form) => value(pf.getMarksOutput(form))));
    const lists = emulator.requests({ type });
    expect(lists.filter(({ tooSoon }) => tooSoon)).toEqual([]);
    expect(lists.every(({ status }) => status === 200)).toBe(true);
    // Four connections: the first three forms are one, and so are the two with a header.
    const arenas = lists.slice(0, 4).map(({ headers }) => headers["user-arena"]);
    expect(arenas.toSorted()).toEqual(["edge", "edge", "mine", "other"]);
    const times = lists.map(({ time }) => Date.parse(time));
    expect(times.slice(1).map((time, at) => time - (times[at] ?? 0) >= 3_000)).toEqual(times.slice(1).map(() => true));
  });

  it("read a node and a receiver that answer in lines, as the program says beside their addresses", async () => {
    await using other = await startEmulator({
      dialect: { listFormat: "lines", statusFormat: "lines" },
      state: { arenas: { edge: { sets: { blocked: { "192.0.2.0/24": 7 } } } } },
    });
    const [client] = other.clients;
    const format = pulumi.output("lines" as const);
    const node: pf.NodeArgs = {
      endpoint: other.endpoint,
      answers: { format, columns: { prefixset: { prefix: 0, value: 1 } } },
    };
    expect(await value(pf.getPrefixSetOutput({ arena: "edge", set: "blocked", node }))).toEqual({ "192.0.2.0/24": 7 });
    other.signal(client?.clientId ?? "", { start: ["198.51.100.7"] });
    const receiver: pf.ReceiverArgs = {
      url: other.signalingUrl,
      clientId: client?.clientId ?? "",
      secretKey: client?.secretKey ?? "",
      answers: { format, success: { status: { member: "ok", values: [true] } } },
    };
    expect(await value(pf.getSignalingsOutput({ receiver }))).toEqual(["198.51.100.7/32"]);
  });

  it("say which node is missing, and that an unknown set is no empty one", async () => {
    await expect(pf.getPrefixSet({ arena: "edge", set: "blokced" })).rejects.toThrow(/prefixset:\/\/edge\/blokced/);
    await expect(async () => pf.getProfiles({ arena: "edge", node: "ams1" })).rejects.toThrow(/"ams1" is not in/);
  });
});
