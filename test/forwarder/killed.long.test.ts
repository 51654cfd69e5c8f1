import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { pick, seededRandom } from "../../provider/emulator/time/random";
import type { ForwardRecord } from "../../provider/forwarder/record/record";
import { serveHere } from "../support/raw-server";
import { ForwardProcess } from "./support/child";
import { fastWall } from "./support/fast-clock.cjs";
import { configOf, recordsIn, stateOf, temporaryFolder } from "./support/forward";

/**
 * Seeds of the moments at which forwarders are killed, and kills for each. More than the few of every test run:
 * `PACKETFILTER_KILL_SEEDS=1,2,3 PACKETFILTER_KILLS=40 npx vitest run test/forwarder/killed.long.test.ts`
 */
const SEEDS = (process.env.PACKETFILTER_KILL_SEEDS ?? "1").split(",").map(Number);
const KILLS = Number(process.env.PACKETFILTER_KILLS ?? 4);

const MARKS = 3_000;
/** Between two lists of a table. */
const PAUSE_MS = 3_000;
/** Speed of the clocks: the pause is 150 ms. */
const TIMES = 20;

/** The runs of a state by their epochs, and how many records of each were taken over: read from a copy of what a kill left. */
function takenOver(folder: string): [epoch: number, records: number][] {
  using copy = temporaryFolder();
  cpSync(join(folder, "forwarder-state"), copy.path, { recursive: true });
  const db = new DatabaseSync(join(copy.path, "forwarder.db"));
  const hasTables = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'tables'").get();
  const rows = hasTables ? db.prepare("SELECT epoch, sequence FROM tables").all() : [];
  db.close();
  return rows.map(({ epoch, sequence }) => [Number(epoch), Number(sequence)]);
}

/** Steps of a forwarder that are visible from outside. Soon after one of them it is killed. */
const MOMENTS = ["list answered", "delivery begins", "delivery read", "delivery answered"] as const;
type Moment = (typeof MOMENTS)[number];

test.each(SEEDS)(
  "killed at moments of seed %i: nothing acknowledged is lost, and repeats have the same id",
  { timeout: 60_000 + KILLS * 30_000 },
  async (seed) => {
    using folder = temporaryFolder();
    const random = seededRandom(seed);
    let strike: (now: Moment) => void = () => {};

    const arrived: ForwardRecord[] = [];
    let isLossy = true;
    let isFirst = true;
    await using server = await serveHere(async (request, response) => {
      strike("delivery begins");
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      arrived.push(...recordsIn(Buffer.concat(chunks).toString()));
      strike("delivery read");
      // Some deliveries are taken, and the forwarder is not told so: the first, and others at random.
      if (isFirst || (isLossy && random() < 0.2)) {
        isFirst = false;
        return void response.destroy();
      }
      response.writeHead(200).end(() => strike("delivery answered"));
    });

    let round = 0;
    const emulator: Emulator = await startEmulator({
      state: stateOf(0, MARKS),
      wall: fastWall(TIMES),
      onRequest: ({ type }) => {
        if (type !== "shost") return;
        // Every list of marks finds all marks with another value: what it was is in the records, or is lost.
        emulator.seed(stateOf(++round, MARKS));
        strike("list answered");
      },
    });
    const file = join(folder.path, "forwarder.json");
    const web = { name: "web", type: "http", url: `${server.url}/` };
    // A minute of the machine's own clock: on a busy one the disk is slow.
    const drainMs = 60_000 * TIMES;
    const config = configOf(emulator, [web, { name: "disk", type: "file", path: "marks.ndjson" }], { drainMs });
    writeFileSync(file, JSON.stringify(config));

    const given = new Map<number, number>();
    const noteTaken = () => {
      for (const [epoch, records] of takenOver(folder.path)) given.set(epoch, records);
    };
    for (let kill = 0; kill < KILLS; kill++) {
      const moment = pick(random, MOMENTS);
      const afterMs = Math.floor(random() * 40);
      let times = 1 + Math.floor(random() * 3);
      if (random() < 0.2) emulator.fail({ kind: "truncated", cmd: "list", url: "mark://edge/web" });
      const victim = ForwardProcess.startFast(file, TIMES);
      strike = (now) => {
        if (now !== moment || --times > 0) return;
        strike = () => {};
        setTimeout(() => victim.child.kill("SIGKILL"), afterMs);
      };
      expect(await victim.exited(), `kill ${kill}, ${moment} + ${afterMs} ms`).toBe(null);
      noteTaken();
    }
    // The last one ends with an empty spool, with no answer lost at random that would leave what waits; and not before marks
    // have changed, since all before it may have been killed before they kept their first list.
    isLossy = false;
    const last = ForwardProcess.startFast(file, TIMES);
    await new Promise<void>((resolve) => {
      strike = (now) => {
        if (now === "delivery answered" && arrived.some(({ event }) => event === "changed")) resolve();
      };
    });
    expect(await last.end("SIGTERM"), last.lines.join("\n")).toBe(0);
    noteTaken();

    // Every number that was given out has arrived at each sink: nothing that was in the spool was lost.
    const written = recordsIn(readFileSync(join(folder.path, "marks.ndjson"), "utf8"));
    const [atServer, onDisk] = [arrived, written].map((sent) => {
      const byId = new Map<string, ForwardRecord>();
      const other = sent.filter((record) => {
        const before = byId.get(record.recordId);
        byId.set(record.recordId, record);
        return before && JSON.stringify(before) !== JSON.stringify(record);
      });
      expect(other).toEqual([]);
      return [...byId.values()].sort((a, b) => a.epoch - b.epoch || a.sequence - b.sequence);
    });
    const records = atServer ?? [];
    const numbers = [...given]
      .sort(([a], [b]) => a - b)
      .flatMap(([epoch, count]) => Array.from({ length: count }, (_, index) => `${epoch} ${index + 1}`));
    expect(records.map(({ epoch, sequence }) => `${epoch} ${sequence}`)).toEqual(numbers);
    expect(onDisk?.length).toBe(records.length);
    expect(onDisk?.filter((record, index) => JSON.stringify(record) !== JSON.stringify(records[index]))).toEqual([]);
    // Repeats there were, or this test has shown nothing.
    expect(arrived.length).toBeGreaterThan(records.length);
    // Of each mark: added once, then changed, each time from what was told before to something newer.
    for (const address of ["198.18.0.0", "198.18.11.183"]) {
      const life = records.filter((record) => record.address === address);
      const values = life.map(({ value }) => Number(value));
      expect([life[0]?.event, ...new Set(life.slice(1).map(({ event }) => event))]).toEqual(["added", "changed"]);
      expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
    }
    // From start to start: a busy machine notes the end of a list too late, and its start never later than the end that the forwarder saw.
    const begun = emulator.journal.filter(({ type }) => type === "shost").map(({ time }) => Date.parse(time));
    expect(begun.slice(1).map((time, index) => time - (begun[index] as number) >= PAUSE_MS)).not.toContain(false);
    await emulator.close();
  },
);
