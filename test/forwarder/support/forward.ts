import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { NodeMemories } from "../../../provider/client/world";
import { main } from "../../../provider/commands/program";
import { type EmulatorState, startEmulator } from "../../../provider/emulator";
import { LiveConfig } from "../../../provider/forwarder/config/config";
import type { ForwarderConfig, SinkConfig } from "../../../provider/forwarder/config/types";
import { Forwarder, type ForwarderParts } from "../../../provider/forwarder/forwarder";
import { LOSS_CAUSES, type LossCause } from "../../../provider/forwarder/loss";
import type { ForwardRecord } from "../../../provider/forwarder/record/record";
import type { Log } from "../../../provider/forwarder/telling/troubles";
import { forwarderWorld } from "../../../provider/forwarder/world";
import { TestClock } from "./clock";

/** A record of a mark that was added. */
export const RECORD: ForwardRecord = {
  timestamp: "2026-01-01T00:00:00.000Z",
  node: "fra1",
  arena: "edge",
  profile: "web",
  type: "shost",
  event: "added",
  address: "203.0.113.45",
  epoch: 1,
  sequence: 1,
  recordId: "r-1",
  message: "one line",
};

/** A folder that is gone when the test is over. */
export function temporaryFolder(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "packetfilter-forward-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** A log that keeps what it was told, as `level message`. */
export class Told implements Log {
  readonly lines: string[] = [];
  info = (_: object, message: string): void => void this.lines.push(`info ${message}`);
  warn = (_: object, message: string): void => void this.lines.push(`warn ${message}`);
  error = (_: object, message: string): void => void this.lines.push(`error ${message}`);
}

/** Opens a forwarder that reads and compares in this thread. */
export async function openForwarder(
  config: ForwarderConfig,
  folder: string,
  more: Partial<ForwarderParts> & { env?: Record<string, string> } = {},
): Promise<{ forwarder: Forwarder; told: Told }> {
  const told = new Told();
  const live = await LiveConfig.ofObject(config, more.env ?? {}, folder);
  const stdout = async (): Promise<void> => {};
  const forwarder = await Forwarder.open({
    config: live,
    log: told,
    world: forwarderWorld,
    stdout,
    // As in a process of its own.
    memories: new NodeMemories(),
    thread: false,
    ...more,
  });
  return { forwarder, told };
}

/** The same, at work until the test is over. */
export async function startForwarding(...args: Parameters<typeof openForwarder>): ReturnType<typeof openForwarder> {
  const opened = await openForwarder(...args);
  onTestFinished(() => opened.forwarder.stop(0));
  opened.forwarder.start();
  return opened;
}

/** A configuration of the node `fra1`, whose marks by source are read into these sinks. */
export function configOf(
  { endpoint }: { readonly endpoint: string },
  sinks: readonly object[] = [],
  more: Partial<ForwarderConfig> = {},
): ForwarderConfig {
  return {
    nodes: { fra1: { endpoint } },
    watch: [{ arena: "edge", types: ["shost"] }],
    ...(sinks.length > 0 && { sinks: sinks as readonly SinkConfig[] }),
    ...more,
  };
}

/** Writes a configuration, which is YAML as JSON. @returns its file. */
export function configFile(folder: string, config: object): string {
  const file = join(folder, "forwarder.yaml");
  writeFileSync(file, JSON.stringify(config));
  return file;
}

/** Marks by source, all with this value. */
export const marksOf = (value: number, count = 1, lifetime = 3_600) =>
  Array.from({ length: count }, (_, n) => ({ address: `198.18.${n >> 8}.${n & 255}`, id: 1, value, lifetime }));

/** A node that has them in its profile `web`. */
export const stateOf = (...args: Parameters<typeof marksOf>): EmulatorState => profilesOf({ web: marksOf(...args) });

/** A node of these profiles with their marks by source. */
export function profilesOf(profiles: Readonly<Record<string, ReturnType<typeof marksOf>>>): EmulatorState {
  const entries = Object.entries(profiles).map(([name, shost]) => [name, { marks: { shost } }]);
  return { arenas: { edge: { profiles: Object.fromEntries(entries) } } };
}

/**
 * A forwarder of one node, `fra1`, which is an emulator with this state, on a clock that the test moves; without sinks it
 * keeps the records. All of it ends with the test.
 */
export async function scene(
  state: EmulatorState,
  config: Partial<ForwarderConfig> = {},
  more: Partial<ForwarderParts> = {},
) {
  const { path: folder, [Symbol.dispose]: remove } = temporaryFolder();
  onTestFinished(remove);
  const emulator = await startEmulator({ state });
  onTestFinished(() => emulator.close());
  const clock = new TestClock();
  const records: ForwardRecord[] = [];
  const whole = configOf(emulator, [], config);
  const own = {
    world: clock,
    ...(!config.sinks && { onRecord: (record: ForwardRecord) => void records.push(record) }),
  };
  const { forwarder, told } = await startForwarding(whole, folder, { ...own, ...more });
  /** Lists of its marks so far. */
  const lists = () => emulator.requests({ cmd: "list", type: "shost" }).length;
  return { folder, emulator, clock, config: whole, records, forwarder, told, lists };
}

/** Runs `forward --check` on the text of a configuration. @returns the exit code. */
export async function check(text: string, env: Record<string, string> = {}): Promise<number> {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, "forwarder.yaml"), text);
  writeFileSync(join(folder.path, "search-token"), "ApiKey abc\n");
  const io = { out: () => {}, err: () => {}, env, stop: new AbortController().signal };
  return await main(["forward", "--config", join(folder.path, "forwarder.yaml"), "--check"], io);
}

/** One round. */
export async function forwardOnce(
  config: ForwarderConfig,
  folder: string,
  more: Parameters<typeof openForwarder>[2] = {},
): Promise<{ ok: boolean; told: string[]; forwarder: Forwarder }> {
  const { forwarder, told } = await openForwarder(config, folder, more);
  try {
    return { ok: await forwarder.once(AbortSignal.timeout(60_000)), told: told.lines, forwarder };
  } finally {
    await forwarder.stop(0);
  }
}

/** One round of a node into sinks, in a folder of its own: what it says, and the dead letters of the first sink. */
export async function roundInto(
  sinks: readonly object[],
  state: EmulatorState = stateOf(1, 3),
  config: Partial<ForwarderConfig> = {},
  more: Parameters<typeof openForwarder>[2] = {},
) {
  using folder = temporaryFolder();
  await using emulator = await startEmulator({ state });
  const round = await forwardOnce(configOf(emulator, sinks, config), folder.path, more);
  const letters = lettersIn(join(folder.path, "forwarder-state/rejected", (sinks[0] as SinkConfig).name as string));
  return { ...round, letters };
}

/** Dead letters of a sink, as they stand in its folder. */
export function lettersIn(folder: string): { reason: string; record: ForwardRecord }[] {
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  return names.flatMap((name) => linesOf(readFileSync(join(folder, name), "utf8")).map((line) => JSON.parse(line)));
}

/** Lines of a text. */
export const linesOf = (text: string): string[] => text.split("\n").filter((line) => line !== "");

/** Records of a text with one a line. */
export const recordsIn = (text: string): ForwardRecord[] => linesOf(text).map((line) => JSON.parse(line));

/** Records that a sink will not get, by the metrics: for one cause, or for any. */
export function lostBy({ metrics }: Forwarder, sink: string, cause?: LossCause): number {
  const causes = cause ? [cause] : (Object.keys(LOSS_CAUSES) as LossCause[]);
  return causes.reduce((sum, one) => sum + metrics.get("lost_records_total", { sink, cause: one }), 0);
}

/** The same by the lines of the log. */
export function lostByLog({ lines }: Told, sink: string): number {
  const counts = lines.map((line) => new RegExp(`Sink "${sink}" will not get (\\d+) records`).exec(line)?.[1] ?? 0);
  return counts.reduce((sum: number, count) => sum + Number(count), 0);
}

/** A profile `web` of arena `edge` with marks by source: IPv4 and one IPv6, and one connection. */
export function stateWith(count: number): EmulatorState {
  const shost = Array.from({ length: count - 1 }, (_, n) => ({
    address: `198.18.${n >> 8}.${n & 255}`,
    id: n % 2 === 0 ? 70_001 : 9,
    value: n,
    lifetime: 3_600,
  }));
  return {
    arenas: {
      edge: {
        profiles: {
          web: {
            rules: [{ id: 70_001, name: "syn=flood|\\" }],
            marks: {
              shost: [...shost, { address: "2001:db8::5", id: 70_001, value: 5, lifetime: 60 }],
              conn: [
                {
                  source: "203.0.113.9",
                  destination: "198.51.100.7",
                  sourcePort: 1_024,
                  destinationPort: 443,
                  protocol: 6,
                  id: 70_001,
                  value: 3,
                  lifetime: 60,
                },
              ],
            },
          },
        },
      },
    },
  };
}

/** All records of a node go to a file, and to a server that is not there, whose spool takes so many bytes. */
export function withAwaySink(maxBytes: number): Pick<ForwarderConfig, "records" | "sinks"> {
  return {
    records: "all",
    sinks: [
      { name: "disk", type: "file", path: "marks.ndjson" },
      { name: "away", type: "http", url: "http://127.0.0.1:1/", spool: { maxBytes } },
    ],
  };
}
