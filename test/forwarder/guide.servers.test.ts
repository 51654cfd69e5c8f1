import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { TIMES } from "../../provider/forwarder/defaults";
import { guide, type Reader } from "../support/guide";
import { blocksOf, root } from "../support/markdown";
import { commandsOnPath } from "../support/place";
import { ownPort, startOnOwnPort } from "../support/ports";
import { ForwardProcess } from "./support/child";
import { stateWith, temporaryFolder } from "./support/forward";
import { conditionsOf, Scrape } from "./support/guide-metrics";
import { recordSink } from "./support/http-sink";
import { BUILD_TIMEOUT, startNats } from "./support/servers";

const PAGE = "docs/guides/several-forwarders.md";
const conditions = conditionsOf(PAGE);
/** The configuration of three. */
const together = blocksOf(PAGE).findLast(({ tag }) => tag === "forwarder.yaml")?.text ?? "";
const RELOAD = "systemctl reload packetfilter-forward";

const MARKS = 20;

let nats: Awaited<ReturnType<typeof startNats>>;
beforeAll(async () => {
  nats = await startNats();
}, BUILD_TIMEOUT);
afterAll(async () => {
  await nats?.[Symbol.asyncDispose]();
});

/** Looks now and then, in real time: leases are about it. */
async function eventually(what: string, look: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 90_000;
  while (!(await look())) {
    if (Date.now() > end) throw new Error(`This did not happen: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** One machine of the guide, whose `systemctl` starts and ends a forwarder as the page's commands ask. */
class Machine {
  private service: ForwardProcess | undefined;
  private starts = 0;
  private readonly manager = createServer(async (request, response) => {
    const failure = await this.manage((request.url ?? "").slice(1)).then(() => "", String);
    response.writeHead(failure === "" ? 200 : 500).end(failure);
  });

  private constructor(
    private readonly port: number,
    /** Folder and variables of its user. */
    readonly reader: Required<Reader>,
  ) {}

  static async start(folder: string, places: Readonly<Record<string, string>>): Promise<Machine> {
    mkdirSync(folder);
    const port = await ownPort();
    const env = commandsOnPath(folder);
    const instead = {
      ...places,
      "/etc/packetfilter": folder,
      "/var/lib/packetfilter-forward": join(folder, "state"),
      "127.0.0.1:9464": `127.0.0.1:${port}`,
    };
    const machine = new Machine(port, { folder, env, instead });
    await new Promise<void>((resolve) => machine.manager.listen(0, "127.0.0.1", resolve));
    const { port: managed } = machine.manager.address() as AddressInfo;
    const systemctl = join(folder, "node_modules/.bin/systemctl");
    writeFileSync(systemctl, `#!/bin/sh\nexec curl -sSf "http://127.0.0.1:${managed}/$1"\n`, { mode: 0o755 });
    return machine;
  }

  /** Installs a configuration of the page, at the addresses of this test. */
  configure(text: string): void {
    const located = Object.entries(this.reader.instead).reduce((all, [from, to]) => all.replaceAll(from, to), text);
    writeFileSync(join(this.reader.folder, "forwarder.yaml"), `${located}\n`);
  }

  /** Types a command that the page has in another place as well. */
  async type(command: string): Promise<void> {
    const { folder: cwd, env } = this.reader;
    await promisify(execFile)("sh", ["-ec", command], { cwd, env });
  }

  async scrape(): Promise<Scrape | undefined> {
    if (!this.service) return undefined;
    return this.ask("/metrics")
      .then(async (page) => new Scrape(await page.text()))
      .catch(() => undefined);
  }

  async kill(): Promise<void> {
    await this.service?.end("SIGKILL");
    this.service = undefined;
  }

  async close(): Promise<void> {
    await this.kill();
    this.manager.close();
  }

  private async manage(verb: string): Promise<void> {
    const { service } = this;
    if (verb === "start") {
      const { folder } = this.reader;
      const own = join(folder, `start${this.starts++}`);
      mkdirSync(own);
      const line = ["pulumi-packetfilter", "forward", "--config", join(folder, "forwarder.yaml")];
      this.service = ForwardProcess.command(line, own);
      const isUp = () =>
        this.ask("/healthz")
          .then(({ ok }) => ok)
          .catch(() => false);
      return eventually("a forwarder answers", isUp);
    }
    if (!service) throw new Error(`There is no service to ${verb}.`);
    if (verb === "reload") return void service.child.kill("SIGHUP");
    if (verb !== "stop") throw new Error(`There is no ${verb}.`);
    this.service = undefined;
    expect(await service.end("SIGTERM")).toBe(0);
  }

  private ask(path: string): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.port}${path}`);
  }
}

/** Waits until one forwarder shows what a row of the page says, or each; what is said of all together, holds for all. */
async function shown(row: string, machines: readonly Machine[], by: "one" | "each" = "one"): Promise<void> {
  const wanted = conditions.get(row);
  if (!wanted) throw new Error(`There is no row ${row}.`);
  await eventually(`${row}: ${wanted.map(({ text }) => text).join(", ")}`, async () => {
    const scrapes = (await Promise.all(machines.map((machine) => machine.scrape()))).filter((one) => one !== undefined);
    const meeting = scrapes.filter((one) => one.meets(wanted)).length;
    const sums = wanted.filter(({ isSum }) => isSum);
    const sumOf = (series: string) => scrapes.reduce((sum, one) => sum + one.valueOf(series), 0);
    const enough = by === "one" ? meeting > 0 : meeting === machines.length;
    return enough && sums.every(({ series, holds }) => holds(sumOf(series)));
  }).catch(async ({ message }: Error) => {
    const scrapes = await Promise.all(machines.map((machine) => machine.scrape()));
    throw new Error([message, ...scrapes.map((one) => one?.moved ?? "(no answer)")].join("\n\n"));
  });
}

guide(
  "several-forwarders.md",
  "from one forwarder to three, a rollout, a rollback and an outage of each part show what it says",
  async (guide) => {
    using folder = temporaryFolder();
    const sink = await recordSink();
    const emulators: Emulator[] = [];
    for (let n = 0; n < 4; n++) emulators.push(await startOnOwnPort({ state: stateWith(MARKS) }));
    onTestFinished(async () => void (await Promise.all(emulators.map((one) => one.close()))));
    const places = Object.fromEntries(
      emulators.slice(0, 3).map(({ endpoint }, n) => [`https://192.0.2.1${n}`, endpoint]),
    );
    const own = {
      "nats://198.51.100.40:4222": nats.url,
      "replicas: 3": "replicas: 1",
      "https://198.51.100.20/in": sink.url,
    };
    const machines: Machine[] = [];
    for (const n of [1, 2, 3])
      machines.push(await Machine.start(join(folder.path, `machine${n}`), { ...places, ...own }));
    onTestFinished(async () => void (await Promise.all(machines.map((machine) => machine.close()))));
    const [first, second, third] = machines as [Machine, Machine, Machine];
    guide.at(first.reader);
    const three = ["fra1", "fra2", "fra3"];
    /** Waits until the sink was told of so many marks of each node, from this moment on or from the beginning. */
    const told = (nodes: readonly string[], marks: number, from = 0) =>
      eventually(`${marks} marks of each of ${nodes.join(", ")} are told`, () => {
        const later = sink.taken.slice(from);
        return nodes.every(
          (name) => new Set(later.flatMap(({ node, address = [] }) => (node === name ? address : []))).size === marks,
        );
      });

    // One, which has delivered all when it ends.
    expect(await guide.next("systemctl start")).toContain("The configuration is valid.");
    await told(three, MARKS);
    expect(await guide.next("systemctl stop")).toContain('Sink "search" has not taken 0 records (0 bytes).\n');

    // Three, to which all is new.
    const before = sink.taken.length;
    for (const machine of [second, third]) {
      machine.configure(together);
      await machine.type("systemctl start packetfilter-forward");
    }
    expect(await guide.next("systemctl start")).toContain('"checks"');
    const well = async () => {
      await shown("each forwarder", machines, "each");
      await shown("all together", machines);
    };
    await well();
    await told(three, MARKS, before);

    // A rollout of a node more, from one to the next.
    const wider = together.replace("watch:", `  fra4: { endpoint: "${emulators[3]?.endpoint}" }\nwatch:`);
    for (const machine of machines) machine.configure(wider);
    await guide.next(RELOAD);
    await shown("some have a new node or watch, others not yet", machines);
    for (const machine of [second, third]) await machine.type(RELOAD);
    await shown("each forwarder", machines, "each");
    await told(["fra4"], MARKS);

    // A configuration that is not taken, and the one before.
    first.configure(`${together}\nformat: nonsense`);
    await first.type(RELOAD);
    await shown("a configuration was not taken", [first]);
    for (const machine of machines) {
      machine.configure(together);
      await machine.type(RELOAD);
    }
    await well();

    const endpoint = new URL(emulators[0]?.endpoint ?? "");
    await emulators[0]?.close();
    await shown("a node", machines);
    emulators[0] = await startEmulator({ state: stateWith(MARKS), port: Number(endpoint.port) });

    sink.status = 503;
    const more = stateWith(MARKS + 5);
    for (const emulator of emulators) emulator.seed(more);
    await shown("a sink", machines);
    sink.status = 204;
    await told(three, MARKS + 5);

    // What is to stay free is more than any disk has.
    second.configure(`${together}\nreserveBytes: ${Number.MAX_SAFE_INTEGER}`);
    await second.type(RELOAD);
    for (const emulator of emulators) emulator.seed(stateWith(MARKS + 9));
    await shown("the disk of a state", [second]);
    second.configure(together);
    await second.type(RELOAD);
    await well();

    await third.kill();
    await shown("one forwarder", [first, second]);
    await third.type("systemctl start packetfilter-forward");
    await well();

    await nats.kill();
    await shown("NATS", machines);
    const { port, folder: kept } = nats;
    nats = await startNats({ port, folder: kept });
    // What was asked before NATS was there again fails until its time-out, and readiness tells it.
    await new Promise((passed) => setTimeout(passed, TIMES.leaseRequestMs));
    await well();

    // All that the nodes have was told, by the one that had them.
    await told(three, MARKS + 9);
    expect(await guide.next("/readyz")).toContain('{\n  "ok": true,\n');
    for (const machine of machines) await machine.type("systemctl stop packetfilter-forward");
    const rows = ["each forwarder", "all together", "some have a new node or watch, others not yet"];
    rows.push("a configuration was not taken", "a node", "a sink", "the disk of a state", "one forwarder", "NATS");
    expect([...conditions.keys()]).toEqual(rows);
  },
);

test("the alerts that the guide names are there", () => {
  const alerts = [
    ...readFileSync(join(root, "examples/forwarder-service/alerts.yaml"), "utf8").matchAll(
      /alert: PacketfilterForward(\w+)/g,
    ),
  ];
  const known = alerts.map(([, name]) => name);
  const table = readFileSync(join(root, PAGE), "utf8").split("| Outage of |")[1]?.split("\n\n")[0] ?? "";
  const named = table
    .split("\n")
    .slice(2)
    .flatMap((row) => row.split("|").at(-2)?.trim().split(", ") ?? []);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !known.includes(name))).toEqual([]);
});
