import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { LiveConfig } from "../../provider/forwarder/config/config";
import { Metrics } from "../../provider/forwarder/telling/metrics";
import { passUntil } from "./support/clock";
import { labelsOf, readPage } from "./support/exposition";
import { configOf, scene, stateWith, temporaryFolder, withAwaySink } from "./support/forward";
import { startService } from "./support/service";

const reference = readFileSync(resolve(__dirname, "../../docs/forwarder.md"), "utf8");

/** The metrics that the reference lists: those of every forwarder, or all with those of a cluster. */
function documented({ cluster }: { cluster: boolean }) {
  const rows = [...reference.matchAll(/^\| `(\w+)` \| (counter|gauge|histogram) \| (.*) \| (.*) \|$/gm)];
  return rows
    .map(([, name, kind, labels = "", help = ""]) => ({
      name: `packetfilter_forward_${name}`,
      kind,
      labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = ""]) => label),
      help: help.replace(/ With `cluster`\.$/, ""),
      isOfCluster: help.endsWith("With `cluster`."),
    }))
    .filter(({ isOfCluster }) => cluster || !isOfCluster);
}

/** A series of each metric with every combination of these labels, as a page names it. */
function seriesOf(
  metrics: ReturnType<typeof documented>,
  values: Record<string, readonly string[]>,
  limits: (name: string) => readonly string[],
): string[] {
  return metrics.flatMap(({ name, kind, labels }) => {
    const combined = labels.reduce<string[][]>(
      (all, label) => all.flatMap((one) => (values[label] ?? []).map((value) => [...one, `${label}="${value}"`])),
      [[]],
    );
    const series = (ending: string, pairs: readonly string[]) =>
      `${name}${ending}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`}`;
    return combined.flatMap((pairs) =>
      kind === "histogram"
        ? [
            ...limits(name).map((limit) => series("_bucket", [...pairs, `le="${limit}"`])),
            series("_sum", pairs),
            series("_count", pairs),
          ]
        : [series("", pairs)],
    );
  });
}

test("every series that the reference lists is there at the first scrape, at its beginning, and no other", async () => {
  using folder = temporaryFolder();
  await using emulator = await startEmulator({ state: stateWith(10) });
  const nodes = { fra1: { endpoint: emulator.endpoint }, fra2: { endpoint: emulator.endpoint } };
  const sinks = [
    { name: "disk", type: "file", path: "marks.ndjson" },
    { name: "web", type: "http", url: "http://127.0.0.1:1/", spool: { maxBytes: 65_536 } },
  ];
  const { url } = await startService(configOf(emulator, sinks, { nodes, listen: "127.0.0.1:0" }), folder.path);
  const whole = readPage(await (await fetch(`${url()}/metrics`)).text());
  const page = new Map([...whole].filter(([name]) => name.startsWith("packetfilter_")));
  const { process_start_time_seconds: started, ...others } = Object.fromEntries(
    [...whole].filter(([name]) => !page.has(name)).map(([name, { kind, series }]) => [name, [kind, series.get(name)]]),
  );
  expect(started?.[0]).toBe("gauge");
  expect(Math.abs(Number(started?.[1]) - performance.timeOrigin / 1_000)).toBeLessThan(1);
  expect(Object.keys(others)).toEqual([
    "process_cpu_seconds_total",
    "process_resident_memory_bytes",
    "process_open_fds",
    "process_max_fds",
  ]);

  expect([...page].map(([name, { kind, help }]) => ({ name, kind, help }))).toEqual(
    documented({ cluster: true }).map(({ name, kind, help }) => ({ name, kind, help })),
  );
  const limits = (name: string) => [
    ...new Set([...(page.get(name)?.series.keys() ?? [])].flatMap((one) => labelsOf(one).le ?? [])),
  ];
  const values = {
    node: ["fra1", "fra2"],
    sink: ["disk", "web"],
    outcome: ["taken", "failed", "refused", "full"],
    cause: ["full", "age", "disk", "evicted", "missed", "removed"],
    event: ["seen", "added", "changed", "renewed", "gone", "expired", "reset"],
    version: [JSON.parse(readFileSync(resolve(__dirname, "../../package.json"), "utf8")).version],
    node_version: [process.version],
  };
  const served = [...page.values()].flatMap(({ series }) => [...series.keys()]);
  expect(served).toEqual(seriesOf(documented({ cluster: false }), values, limits));

  // Nothing has happened yet but what starting does.
  const begun = [...page.values()].flatMap(({ series }) => [...series]).filter(([, value]) => value !== 0);
  const outline = begun.filter(([name]) => !/_(state_free_bytes|poll_lag|event_loop)/.test(name));
  expect(
    Object.fromEntries(outline.map(([name, value]) => [name.slice("packetfilter_forward_".length), value])),
  ).toEqual({
    'rejected_limit_bytes{sink="disk"}': 268_435_456,
    'rejected_limit_bytes{sink="web"}': 268_435_456,
    'spool_limit_bytes{sink="disk"}': 1_073_741_824,
    'spool_limit_bytes{sink="web"}': 65_536,
    'spool_full_in_seconds{sink="disk"}': Number.POSITIVE_INFINITY,
    'spool_full_in_seconds{sink="web"}': Number.POSITIVE_INFINITY,
    nodes: 2,
    config_last_reload_successful: 1,
    [`build_info{version="${values.version}",node_version="${process.version}"}`]: 1,
  });
});

test("with a cluster, its metrics are there from the beginning, too; what is about others is not counted", () => {
  const metrics = new Metrics();
  metrics.know({ nodes: ["fra1"], sinks: [], hasCluster: true, version: "1.0.0" });
  metrics.add("lease_lost_total", { node: "gone" });
  const page = readPage(metrics.text());
  const names = documented({ cluster: true }).filter(({ isOfCluster }) => isOfCluster);
  expect(names.map(({ name }) => [name, [...(page.get(name)?.series ?? [])]])).toEqual([
    ["packetfilter_forward_lease_held", [['packetfilter_forward_lease_held{node="fra1"}', 0]]],
    ["packetfilter_forward_lease_lost_total", [['packetfilter_forward_lease_lost_total{node="fra1"}', 0]]],
    ["packetfilter_forward_cluster_reachable", [["packetfilter_forward_cluster_reachable", 0]]],
    ["packetfilter_forward_cluster_config_differs", [["packetfilter_forward_cluster_config_differs", 0]]],
  ]);
});

test("a histogram tells every scraper the same, and escapes what a label holds", () => {
  const metrics = new Metrics();
  const sink = 'a "sink"\n\\';
  for (const seconds of [0.005, 0.004, 0.3, 31]) metrics.observe("delivery_duration_seconds", seconds, { sink });
  const first = metrics.text();
  expect(metrics.text()).toBe(first);
  const series = readPage(first).get("packetfilter_forward_delivery_duration_seconds")?.series ?? new Map();
  const told = [...series].map(([name, count]) => [labelsOf(name).le ?? name.match(/_(sum|count)\{/)?.[1], count]);
  expect(Object.fromEntries(told)).toEqual({
    ...Object.fromEntries(["0.005", "0.01", "0.025", "0.05", "0.1", "0.25"].map((limit) => [limit, 2])),
    ...Object.fromEntries(["0.5", "1", "2.5", "5", "10", "30"].map((limit) => [limit, 3])),
    "+Inf": 4,
    sum: 31.309,
    count: 4,
  });
  expect(labelsOf([...series.keys()][0]).sink).toBe('a \\"sink\\"\\n\\\\');
});

test("the spool of a sink that takes nothing is told: how full, when it is full, and which tables it misses", async () => {
  const { forwarder, told, clock, config, folder } = await scene(stateWith(500), withAwaySink(131_072));
  const view = (name: string) => forwarder.health.spool.find((sink) => sink.name === name);
  const metric = (name: Parameters<typeof forwarder.metrics.get>[0], sink = "away") =>
    forwarder.metrics.get(name, { sink });
  // Six lists fit, one every three seconds: after the second one some ten seconds are left.
  await passUntil(() => metric("spool_full_in_seconds") < 60, clock);
  expect(metric("lag_bytes")).toBeLessThan(metric("spool_limit_bytes"));
  expect(metric("spool_full_in_seconds")).toBeGreaterThan(0);
  await passUntil(() => metric("behind_tables") > 0 && metric("spool_full_in_seconds") === 0, clock);
  expect([metric("paused_tables"), metric("behind_tables", "disk")]).toEqual([0, 0]);

  // A table that is read no more makes no sink wait: what it missed counts again when it is read again.
  const watching = async (arena: string) => {
    const next = { ...config, watch: [{ arena, types: ["shost"] }] };
    return forwarder.reload(await LiveConfig.ofObject(next, {}, folder));
  };
  expect(await watching("another")).toBe(true);
  await passUntil(() => metric("behind_tables") === 0, clock);
  expect(view("away")?.behind).toEqual([]);
  expect(told.lines.at(-1)).toBe('info Sink "away" gets all its tables again.');
  expect(await watching("edge")).toBe(true);
  await passUntil(() => metric("behind_tables") === 1, clock);
});
