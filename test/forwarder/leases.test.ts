import { expect, test } from "vitest";
import { type Member, membersIn } from "../../provider/forwarder/cluster/lease-store";
import { type LeaseParts, Leases } from "../../provider/forwarder/cluster/leases";
import { shareOut } from "../../provider/forwarder/cluster/rendezvous";
import { Metrics } from "../../provider/forwarder/telling/metrics";
import { Troubles } from "../../provider/forwarder/telling/troubles";
import { passUntil, TestClock } from "./support/clock";
import { Told } from "./support/forward";

const LEASE_MS = 6_000;

/** Leases as a server keeps them, on the clock of a test. */
class MemoryStore {
  readonly announced = new Map<string, { text: string; until: number }>();
  private readonly leases = new Map<string, { revision: number; until: number }>();
  private readonly turns = new Map<string, number>();
  private last = 0;
  /** Nodes whose leases no member gets. */
  readonly refused = new Set<string>();

  /** @param latencyMs From a request to its answer. */
  constructor(
    private readonly clock: TestClock,
    latencyMs: number,
  ) {
    if (latencyMs === 0) return;
    for (const name of ["announce", "look", "take", "renew", "release", "beginTurn"] as const) {
      const method = this[name] as (...args: never[]) => Promise<unknown>;
      const slow = async (...args: never[]) => {
        await clock.sleep(latencyMs / 2);
        const answer = await method(...args);
        await clock.sleep(latencyMs / 2);
        return answer;
      };
      Object.assign(this, { [name]: slow });
    }
  }

  private get end(): number {
    return this.clock.monotonic() + LEASE_MS;
  }

  announce = async ({ name, ...announced }: Member) =>
    void this.announced.set(name, { text: JSON.stringify(announced), until: this.end });
  leave = async (name: string) => void this.announced.delete(name);
  close = async () => {};
  words = (error: unknown) => String(error).replace("s3cret", "[secret]");
  look = async () => {
    const now = this.clock.monotonic();
    const there = [...this.announced].filter(([, { until }]) => until > now);
    const members = membersIn(there.map(([name, { text }]) => [name, text]));
    return { ...members, held: new Set([...this.leases].filter(([, { until }]) => until > now).map(([node]) => node)) };
  };
  take = async (node: string) => {
    if (this.refused.has(node)) return undefined;
    const held = this.leases.get(node);
    if (held && held.until > this.clock.monotonic()) return undefined;
    this.leases.set(node, { revision: ++this.last, until: this.end });
    return this.last;
  };
  renew = async (node: string, _: string, revision: number) => {
    if (this.leases.get(node)?.revision !== revision) return undefined;
    this.leases.set(node, { revision: ++this.last, until: this.end });
    return this.last;
  };
  release = async (node: string) => void this.leases.delete(node);
  beginTurn = async (node: string, _: string, last: number | undefined) => {
    const before = this.turns.get(node);
    this.turns.set(node, ++this.last);
    return { epoch: this.last, takeover: before !== undefined && before !== last };
  };
}

/** Members on one clock, what each polls, and each turn that began. */
function cluster(latencyMs = 0) {
  const clock = new TestClock();
  const store = new MemoryStore(clock, latencyMs);
  const polled = new Map<string, string>();
  const turns: string[] = [];
  const start = (member: string, nodes: string[], polling = "same") => {
    const told = new Told();
    const metrics = new Metrics();
    const stop = new AbortController();
    const epochs = new Map<string, number>();
    const poll: LeaseParts["poll"] = async (node, turn, signal) => {
      // No node has two pollers.
      expect(polled.has(node)).toBe(false);
      polled.set(node, member);
      turns.push(`${member} ${node}${turn.since === turn.epoch ? " reset" : ""}`);
      epochs.set(node, turn.epoch);
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      polled.delete(node);
    };
    const troubles = new Troubles(told);
    const parts = { store, leaseMs: LEASE_MS, member, world: clock, metrics, troubles, poll };
    const settings = { nodes, polling };
    const leases = new Leases({
      ...parts,
      nodes: () => settings.nodes,
      polling: () => settings.polling,
      lastEpoch: (node) => epochs.get(node),
    });
    const ended = leases.run(stop.signal);
    const differs = () => metrics.get("cluster_config_differs");
    const end = (): Promise<void> => {
      stop.abort();
      return ended;
    };
    const lost = () => nodes.reduce((sum, node) => sum + metrics.get("lease_lost_total", { node }), 0);
    return { told, settings, leases, differs, lost, end };
  };
  const settled = (owners: () => boolean) => passUntil(owners, clock);
  return { clock, store, polled, turns, start, settled };
}

/** Ends members, whose requests take time. */
async function over(members: readonly { end(): Promise<void> }[], settled: (look: () => boolean) => Promise<void>) {
  let isOver = false;
  void Promise.all(members.map(({ end }) => end())).then(() => {
    isOver = true;
  });
  await settled(() => isOver);
}

const NODES = ["fra1", "fra2", "fra3", "fra4", "fra5", "fra6"];

test("a rolling restart of members with stable names ends as it began, and moves nothing else than it must", async () => {
  const { polled, turns, start, settled } = cluster();
  const shared = () => [...polled].sort().map(([node, member]) => `${node} ${member}`);
  const isEven = (count: number) => () => polled.size === NODES.length && new Set(polled.values()).size === count;
  const members = new Map(["a", "b", "c"].map((name) => [name, start(name, NODES)]));
  await settled(isEven(3));
  await settled(() => shared().filter((one) => one.endsWith(" a")).length === 2);
  const before = shared();
  for (const name of ["a", "b", "c"]) {
    const moved = turns.length;
    await members.get(name)?.end();
    await settled(isEven(2));
    const again = start(name, NODES);
    members.set(name, again);
    // A rollout that waits for this member waits until it has its nodes.
    await settled(() => again.leases.hasShared);
    expect(shared()).toEqual(before);
    // Its two nodes went, and came back.
    expect(turns.slice(moved)).toHaveLength(4);
  }
  for (const { end } of members.values()) await end();
});

test("members that have other nodes, or watch in another way, say so; what one has is polled by it", async () => {
  const { polled, start, settled } = cluster();
  const a = start("a", [...NODES, "new"]);
  const b = start("b", NODES);
  await settled(() => polled.size === NODES.length + 1 && new Set(polled.values()).size === 2);
  expect(polled.get("new")).toBe("a");
  await settled(() => a.differs() === 1 && b.differs() === 1);
  expect(a.told.lines).toEqual([
    "warn The members of the cluster have different configurations: b lacks new. A node is polled by those that have it.",
  ]);
  expect(b.told.lines).toEqual([
    "warn The members of the cluster have different configurations: a has new, too. A node is polled by those that have it.",
  ]);
  b.settings.nodes = [...NODES, "new"];
  b.settings.polling = "other";
  b.leases.wake();
  await settled(() => b.told.lines.some((line) => line.includes("a polls the same nodes in another way")));
  b.settings.polling = "same";
  await settled(() => a.differs() === 0 && b.differs() === 0);
  expect(b.told.lines.at(-1)).toBe("info All members of the cluster poll the same nodes in the same way.");
  await Promise.all([a.end(), b.end()]);
});

test("a member of another version is named, its nodes stay with it, and are shared once it is gone", async () => {
  const { clock, store, polled, start, settled } = cluster();
  for (const text of ['{"nodes":"fra1,fra2"}', "not JSON"]) {
    store.announced.set("newer", { text, until: clock.monotonic() + 4 * LEASE_MS });
    await store.take("fra1");
    const { told, differs, end } = start("a", NODES);
    await settled(() => polled.size === NODES.length - 1);
    await settled(() => told.lines.length > 0);
    expect([differs(), told.lines]).toEqual([
      1,
      [
        "warn Another version of the forwarder runs in the cluster, whose announcement this version cannot read: newer. Its nodes stay with it while it renews their leases, and cannot be shared with it: run one version on all members.",
      ],
    ]);
    await settled(() => polled.size === NODES.length && differs() === 0);
    await end();
  }
});

test.each([
  ["a server that takes 1.8 s to answer loses no lease of 6 s, and moves no node", 1_800, [0, 0]],
  ["neither does a date that is set to and fro", 0, [365, -730, 365]],
])("%s", async (_, latencyMs, days) => {
  const { clock, polled, turns, start, settled } = cluster(latencyMs);
  const members = [start("a", NODES), start("b", NODES)];
  await settled(() => polled.size === NODES.length && new Set(polled.values()).size === 2);
  const begun = turns.length;
  for (const jump of days) {
    clock.jump(jump * 86_400_000);
    const later = clock.monotonic() + 5 * LEASE_MS;
    await settled(() => clock.monotonic() > later);
  }
  expect([members.map(({ lost }) => lost()), turns.length - begun, polled.size]).toEqual([[0, 0], 0, NODES.length]);
  expect(members.flatMap(({ told }) => told.lines)).toEqual([]);
  await over(members, settled);
});

test("a server that is too slow for the leases is told, with the leases that it would do for", async () => {
  const { start, settled } = cluster(2_600);
  const a = start("a", NODES);
  await settled(() => a.told.lines.some((line) => line.includes("NATS takes")));
  expect(a.told.lines.find((line) => line.includes("NATS takes"))).toMatch(
    /^warn NATS takes \d+ ms to answer, which is too long for leases of 6000 ms: .* `cluster\.leaseMs` should be \d+ or more\.$/,
  );
  await over([a], settled);
});

test("a server that is not there is told with what it means for the nodes, at a start and later", async () => {
  const { store, polled, start, settled } = cluster();
  const { announce, look, renew } = store;
  const away = () => Promise.reject("getaddrinfo ENOTFOUND s3cret");
  Object.assign(store, { announce: away, look: away });
  const { told, end } = start("a", NODES);
  await settled(() => told.lines.length > 0);
  expect(polled.size).toBe(0);
  Object.assign(store, { announce, look });
  await settled(() => polled.size === NODES.length);
  Object.assign(store, { announce: away, look: away, renew: away });
  await settled(() => told.lines.some((line) => line.includes("until their leases end")));
  Object.assign(store, { announce, look, renew });
  await settled(() => told.lines.length === 4);
  const why = "warn The cluster's leases cannot be reached: getaddrinfo ENOTFOUND [secret]. They are asked for again.";
  expect(told.lines).toEqual([
    `${why} No node is polled until then.`,
    "info The cluster's leases can be reached again.",
    `${why} Nodes are polled until their leases end.`,
    "info The cluster's leases can be reached again.",
  ]);
  await end();
});

test("a renewal whose answer is lost is not taken for another forwarder, of which nothing is known", async () => {
  const { store, polled, start, settled } = cluster();
  const { renew } = store;
  const { told, lost, end } = start("a", ["fra1"]);
  await settled(() => polled.size === 1);
  store.renew = async (...args) => {
    store.renew = renew;
    await renew(...args);
    throw new Error("timeout");
  };
  await settled(() => lost() === 1);
  const words = "another forwarder has its lease, or the answer to a renewal was lost";
  expect(told.lines).toContain(`warn Node fra1 is not polled any more: ${words}.`);
  await settled(() => polled.size === 1);
  await end();
});

test("a node that no member gets is told after two leases, and when it is polled again", async () => {
  const { clock, store, polled, start, settled } = cluster();
  store.refused.add("fra2");
  const began = clock.monotonic();
  const [a, b] = [start("a", NODES), start("b", NODES)];
  await settled(() => a.told.lines.length > 0 && b.told.lines.length > 0);
  expect(clock.monotonic() - began).toBeGreaterThan(2 * LEASE_MS);
  expect(polled.size).toBe(NODES.length - 1);
  store.refused.clear();
  await settled(() => a.told.lines.length > 1 && b.told.lines.length > 1);
  for (const { told } of [a, b]) {
    expect(told.lines).toEqual([
      "warn No forwarder polls these nodes: fra2.",
      "info Every node is polled by a forwarder again.",
    ]);
  }
  await Promise.all([a.end(), b.end()]);
});

const TEN = Array.from({ length: 10 }, (_, n) => `node${n}`);
const among = (names: readonly string[], all = TEN) => shareOut(names.map((name) => ({ name, nodes: all })));
const sizes = (owners: Map<string, string>) =>
  [...new Set(owners.values())].map((name) => [...owners.values()].filter((one) => one === name).length).sort();

test("nodes are spread evenly over any number of members, in each process alike, whatever members were away before", () => {
  const members = [[], ["a"], ["a", "b"], ["a", "b", "c"]];
  expect(members.map((names) => sizes(among(names)))).toEqual([[], [10], [5, 5], [3, 3, 4]]);
  expect(among(["c", "a", "b"], [...TEN].reverse())).toEqual(among(["a", "b", "c"]));
});

test("nodes are spread to members that can poll them, also where one has more than its share then", () => {
  const owners = shareOut([
    { name: "a", nodes: TEN },
    { name: "b", nodes: ["node1"] },
    { name: "c", nodes: [] },
  ]);
  expect([owners.size, owners.get("node1"), sizes(owners)]).toEqual([10, "b", [1, 9]]);
});
