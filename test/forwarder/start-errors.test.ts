import dns from "node:dns";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { LiveConfig } from "../../provider/forwarder/config/config";
import { Service } from "../../provider/forwarder/operating/service";
import { ownPort } from "../support/ports";
import { TestClock, until } from "./support/clock";
import { serve } from "./support/command";
import { configOf, openForwarder, stateWith, temporaryFolder } from "./support/forward";
import { httpSink } from "./support/http-sink";

/** Members of the unit that say which exit codes are tried again. */
const UNIT = readFileSync(resolve(__dirname, "../../examples/forwarder-service/packetfilter-forward.service"), "utf8");
const unit = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(UNIT)?.[1] ?? "";
const isStartedAgain = (code: number): boolean =>
  unit("Restart") === "always" && !unit("RestartPreventExitStatus").split(" ").includes(String(code));

const CONFIG = (endpoint: string, more = "") => `nodes: { fra1: { endpoint: "${endpoint}" } }
watch: [{ arena: edge, types: [shost] }]
drainMs: 0
sinks: [{ name: disk, type: file, path: marks.ndjson }]
${more}`;

type Mend = (folder: string, env: Record<string, string>) => void;

/** Errors of the machine or the configuration: exit code, member, the line of the log, and the remedy without an operator. */
const ERRORS: Record<string, [code: number, more: string, line: RegExp, mend?: Mend]> = {
  "a file of a secret that is not there yet": [
    1,
    "listen: { address: 127.0.0.1:0, token: { file: token } }",
    /^forwarder\.yaml:5:40: `listen\.token` needs the file \S+\/token: ENOENT/,
    (folder) => writeFileSync(join(folder, "token"), "t0ken\n"),
  ],
  "a file of a secret that is still empty": [
    1,
    "listen: { address: 127.0.0.1:0, token: { file: empty } }",
    /^forwarder\.yaml:5:40: `listen\.token` must not be empty/,
    (folder) => writeFileSync(join(folder, "empty"), "t0ken\n"),
  ],
  "a state folder whose disk is not there yet": [
    1,
    "state: taken/state",
    /taken\/state.*ENOTDIR/,
    (folder) => {
      rmSync(join(folder, "taken"));
      mkdirSync(join(folder, "taken"));
    },
  ],
  "a variable that is not set yet": [
    1,
    `state: "\${LATER}"`,
    /`state` needs the variable LATER, which is not set/,
    (folder, env) => Object.assign(env, { LATER: join(folder, "state") }),
  ],
  "a secret whose file has an unset variable in its name": [
    1,
    `listen: { address: 127.0.0.1:0, token: { file: "\${LATER}/sound" } }`,
    /needs the variable LATER, which is not set/,
    (folder, env) => Object.assign(env, { LATER: folder }),
  ],
  "a member that is wrong": [2, "format: nonsense", /`format` must be one of plain, ecs, otel/],
  "a missing file beside a member that is wrong": [
    2,
    "format: nonsense\nlisten: { address: 127.0.0.1:0, token: { file: token } }",
    /`format` must be one of/,
  ],
};

test.each(Object.entries(ERRORS))("%s: exit code, line, and whether it is started again", async (_, error) => {
  const [code, more, line, mend] = error;
  using folder = temporaryFolder();
  await using emulator = await startEmulator({ state: stateWith(2) });
  const file = join(folder.path, "forwarder.yaml");
  writeFileSync(file, CONFIG(emulator.endpoint, more));
  writeFileSync(join(folder.path, "empty"), "");
  writeFileSync(join(folder.path, "sound"), "t0ken\n");
  writeFileSync(join(folder.path, "taken"), "");
  const env = {};
  const first = serve(file, undefined, env);
  expect(await first.ended).toBe(code);
  expect(
    first.lines().some((one) => line.test(one)),
    first.written(),
  ).toBe(true);
  expect(isStartedAgain(code)).toBe(mend !== undefined);
  if (code === 2) expect(existsSync(join(folder.path, "forwarder-state"))).toBe(false);
  if (!mend) return;
  mend(folder.path, env);
  const again = serve(file, undefined, env);
  await again.told(" forwards with ");
  expect(await again.end()).toBe(0);
});

test("a configuration that is not there yet is tried again, too", async () => {
  using folder = temporaryFolder();
  const service = serve(join(folder.path, "forwarder.yaml"));
  expect([await service.ended, service.lines()]).toEqual([1, [expect.stringMatching(/cannot be read: ENOENT/)]]);
  expect(isStartedAgain(1)).toBe(true);
});

/** Names under `invalid.` resolve as this says, and not at all where it says nothing. */
function resolving(addresses: Map<string, string>): void {
  const { lookup } = dns;
  const own = (name: string, ...more: unknown[]) => {
    if (!name.endsWith(".invalid")) return Reflect.apply(lookup, dns, [name, ...more]);
    const address = addresses.get(name);
    const done = more.at(-1) as (error: Error | null, ...found: unknown[]) => void;
    const { all } = typeof more[0] === "object" ? (more[0] as dns.LookupOptions) : {};
    const error = address ? null : Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: "ENOTFOUND" });
    setImmediate(() => done(error, ...(all ? [[{ address, family: 4 }]] : [address, 4])));
  };
  const spy = vi.spyOn(dns, "lookup").mockImplementation(own as never);
  onTestFinished(() => spy.mockRestore());
}

const LISTENS = /^info Answers on /;
/** Parts of the machine that a start lacks and goes on without: of which name, its address at first, the line, and that of the recovery. */
const LACKING: Record<string, [of: string, at: string | undefined, line: RegExp, recovery: RegExp]> = {
  "a port that is in use": ["listen", "127.0.0.1", /cannot be used: .*EADDRINUSE.* forwarded meanwhile\.$/, LISTENS],
  "an address that is not up yet": ["listen", "192.0.2.1", /cannot be used: .*EADDRNOTAVAIL.* meanwhile\.$/, LISTENS],
  "a name that does not resolve": ["listen", undefined, /cannot be used: .*ENOTFOUND.* meanwhile\.$/, LISTENS],
  "a node's name that does not resolve": [
    "node",
    undefined,
    /^warn Profiles of arena:\/\/edge on fra1 .*ENOTFOUND.* is asked for its profiles and rules again within 60 s/,
    /^info Node fra1 answers\.$/,
  ],
  "a sink's name that does not resolve": [
    "sink",
    undefined,
    /^warn Sink "web" accepts no records: .*ENOTFOUND sink\.invalid\. They are sent again\.$/,
    /^info Sink "web" accepts records again\.$/,
  ],
};

test.each(Object.entries(LACKING))(
  "%s ends nothing: one line, and all goes on once it is there",
  async (_, lacking) => {
    const [of, at, line, recovery] = lacking;
    using folder = temporaryFolder();
    const web = await httpSink();
    await using emulator = await startEmulator({ state: stateWith(2) });
    const port = await ownPort();
    const names = new Map(["listen", "node", "sink"].map((one) => [`${one}.invalid`, "127.0.0.1"]));
    resolving(names);
    const other = at === "127.0.0.1" ? createServer().listen(port, at) : undefined;
    if (other) await once(other, "listening");
    if (at) names.set(`${of}.invalid`, at);
    else names.delete(`${of}.invalid`);
    const endpoint = emulator.endpoint.replace("127.0.0.1", "node.invalid");
    const sink = { name: "web", type: "http", url: web.url.replace("127.0.0.1", "sink.invalid") };
    const config = configOf({ endpoint }, [sink], { listen: `listen.invalid:${port}`, drainMs: 0 });
    const clock = new TestClock();
    const { forwarder, told } = await openForwarder(config, folder.path, { world: clock });
    const live = await LiveConfig.ofObject(config, {}, folder.path);
    const service = await Service.start(live, { log: told, world: clock, open: async () => forwarder });
    onTestFinished(async () => void (await service.stop()));
    const sent = () => forwarder.metrics.get("sent_records_total", { sink: "web" });
    await until(() => told.lines.some((one) => line.test(one)), clock);
    if (of === "listen") await until(() => sent() === 2, clock);
    clock.advance(60_000);
    // A reload that leaves it alone is no failure of it.
    service.reload(async () => LiveConfig.ofObject({ ...config, everyMs: 4_000 }, {}, folder.path));
    await until(() => told.lines.includes("info The configuration was read again."));
    names.set(`${of}.invalid`, "127.0.0.1");
    if (other) await new Promise((done) => other.close(done));
    await until(() => told.lines.some((one) => recovery.test(one)) && sent() === 2, clock);
    expect(told.lines.filter((one) => line.test(one))).toHaveLength(1);
    expect([(await fetch(`http://127.0.0.1:${port}/metrics`)).status, service.ended.aborted]).toEqual([200, false]);
  },
);
