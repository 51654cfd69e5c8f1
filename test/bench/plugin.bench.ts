import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { credentials } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { CheckRequest, ConfigureRequest } from "@pulumi/pulumi/proto/provider_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { startEmulator } from "../../provider/emulator";
import { native } from "../e2e/support/native";
import { TestStack } from "../e2e/support/stack";
import type { Figure } from "./figure";

const RUNS = 5;
/** Clock ticks of the system in a second, in which `/proc` counts. */
const TICKS = 100;
const SERVERS = {
  dynamic: [process.execPath, createRequire(__filename).resolve("@pulumi/pulumi/cmd/dynamic-provider")],
  plugin: [join(process.cwd(), "plugin", "pulumi-resource-packetfilter")],
};
type Kind = keyof typeof SERVERS;

/** The plugin beside dynamic resources, one after the other in one run. Middle values; processor time where the system tells it. */
export async function pluginFigures(): Promise<Figure[]> {
  const starts: Record<Kind, number[]> = { dynamic: [], plugin: [] };
  for (let run = 0; run < RUNS; run++)
    for (const kind of ["dynamic", "plugin"] as const) starts[kind].push(await startOf(kind));
  const figures = [beside("server, until its first check is answered, processor time", starts, "at most 0.4 ×")];

  figures.push(await unchanged("three resources, no change, plugin from YAML", THREE, YAML, "at most 0.5 ×"));
  figures.push(await unchanged("three resources, no change", THREE, native(THREE_NATIVE)));
  for (const [count, program] of [
    [300, entries(300)],
    [10_000, set(10_000)],
  ] as const)
    figures.push(...(await changed(count, program("{}"), native(program("native")))));
  return figures;
}

/** Seconds of processor time. */
async function startOf(kind: Kind): Promise<number> {
  const [command = "", ...args] = SERVERS[kind];
  const { NODE_OPTIONS: _, ...env } = process.env;
  const child = spawn(command, [...args, "127.0.0.1:1"], { env, stdio: ["pipe", "pipe", "inherit"] });
  const [port] = await once(createInterface({ input: child.stdout }), "line");
  const client = new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure());
  const settled = (call: (answer: (error: Error | null) => void) => void) =>
    new Promise<void>((done, fail) => call((error) => (error ? fail(error) : done())));
  const config = new ConfigureRequest();
  config.setArgs(struct({ [kind === "dynamic" ? "packetfilter:detectDrift" : "detectDrift"]: "off" }));
  await settled((answer) => client.configure(config, answer));
  const text = 'exports.handler=()=>require("pulumi-packetfilter/provider").get("PrefixSet")';
  const inputs = { arena: "edge", set: "blocked", entries: {}, node: { endpoint: "http://192.0.2.10" } };
  const request = new CheckRequest();
  request.setUrn("urn:pulumi:test::bench::packetfilter:index:PrefixSet::blocked");
  request.setOlds(new Struct());
  request.setNews(struct({ ...inputs, ...(kind === "dynamic" && { __provider: text }) }));
  await settled((answer) => client.check(request, answer));
  const seconds = processorTime(child);
  client.close();
  child.kill("SIGKILL");
  await once(child, "close");
  return seconds;
}

const struct = (value: object) => Struct.fromJavaScript(value as never);

function processorTime({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

const THREE = three("{}");
const THREE_NATIVE = three("native");

function three(options: string): string {
  return `
    new pf.PrefixSet("blocked", { arena: "edge", set: "blocked", entries: ["192.0.2.0/24"] }, ${options});
    new pf.PrefixSetEntry("scanner", { arena: "edge", set: "partners", prefix: "203.0.113.4" }, ${options});
    new pf.CloudSignaling("attack", { prefixes: ["198.51.100.7"] }, ${options});`;
}

const YAML = `name: journey
runtime: yaml
plugins:
  providers:
    - name: packetfilter
      path: node_modules/pulumi-packetfilter/plugin
resources:
  blocked:
    type: packetfilter:PrefixSet
    properties: { arena: edge, set: blocked, entries: { "192.0.2.0/24": 1 } }
  scanner:
    type: packetfilter:PrefixSetEntry
    properties: { arena: edge, set: partners, prefix: 203.0.113.4 }
  attack:
    type: packetfilter:CloudSignaling
    properties: { prefixes: ["198.51.100.7"] }
`;

const prefix = '"10." + (i >> 8) + "." + (i & 255) + ".0/24"';

function entries(count: number) {
  return (options: string) =>
    `for (let i = 0; i < ${count}; i++) new pf.PrefixSetEntry("e" + i, { arena: "edge", set: "blocked", prefix: ${prefix} }, ${options});`;
}

function set(count: number) {
  return (options: string) => `
    const entries = {};
    for (let i = 0; i < ${count}; i++) entries[${prefix}] = 1;
    new pf.PrefixSet("blocked", { arena: "edge", set: "blocked", entries }, ${options});`;
}

/** The wall time of an `up` that finds nothing to do. */
async function unchanged(name: string, dynamic: string, plugin: string, goal = ""): Promise<Figure> {
  const times: Record<Kind, number[]> = { dynamic: [], plugin: [] };
  await using one = await filled(dynamic);
  await using other = await filled(plugin);
  for (let run = 0; run < RUNS; run++) {
    times.dynamic.push(await seconds(() => one.stack.up("--skip-preview", "--expect-no-changes")));
    times.plugin.push(await seconds(() => other.stack.up("--skip-preview", "--expect-no-changes")));
  }
  return beside(name, times, goal);
}

/** The wall times of an `up` that creates all, and of one that finds nothing to do. */
async function changed(count: number, dynamic: string, plugin: string): Promise<Figure[]> {
  const made: Record<Kind, number[]> = { dynamic: [], plugin: [] };
  const kept: Record<Kind, number[]> = { dynamic: [], plugin: [] };
  for (let run = 0; run < 3; run++)
    for (const [kind, program] of [
      ["dynamic", dynamic],
      ["plugin", plugin],
    ] as const) {
      await using one = await filled(program);
      made[kind].push(one.seconds);
      kept[kind].push(await seconds(() => one.stack.up("--skip-preview", "--expect-no-changes")));
    }
  const what = count > 1_000 ? `one set of ${count}` : `${count} entries`;
  return [beside(`${what}, created`, made), beside(`${what}, no change`, kept)];
}

/** A stack that has been brought up, and how long that took. */
async function filled(program: string) {
  const emulator = await startEmulator({ state: { arenas: { edge: { sets: { blocked: {}, partners: {} } } } } });
  const [client] = emulator.clients;
  const stack = await TestStack.create({
    program: program === YAML ? "" : program,
    // As a user's processes start, without what makes those of the tests cheaper.
    env: { NODE_OPTIONS: "" },
    config: { endpoint: emulator.endpoint, signalingUrl: emulator.signalingUrl, clientId: client?.clientId },
    secrets: { secretKey: client?.secretKey ?? "" },
  });
  if (program === YAML) await stack.write("Pulumi.yaml", YAML);
  const took = await seconds(() => stack.up("--skip-preview"));
  const dispose = async () => {
    await stack[Symbol.asyncDispose]();
    await emulator.close();
  };
  return { stack, seconds: took, [Symbol.asyncDispose]: dispose };
}

async function seconds(run: () => Promise<{ code: number | null; text: string }>): Promise<number> {
  const start = performance.now();
  const { code, text } = await run();
  if (code !== 0) throw new Error(text);
  return (performance.now() - start) / 1_000;
}

function beside(name: string, { dynamic, plugin }: Record<Kind, number[]>, goal = ""): Figure {
  const [theirs, ours] = [middle(dynamic), middle(plugin)];
  const reference = `${(ours / theirs).toFixed(2)} × dynamic (${theirs.toFixed(2)} s)  ${goal}`;
  return { name, value: ours, unit: "s", reference };
}

function middle(all: readonly number[]): number {
  return all.toSorted((a, b) => a - b)[all.length >> 1] as number;
}
