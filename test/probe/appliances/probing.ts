import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Agent } from "undici";
import type { NodeOptions } from "../../../provider/client/options";
import { NodeMemories, type World } from "../../../provider/client/world";
import { Prefix } from "../../../provider/model/prefix";
import { parseUrl } from "../../../provider/model/resource-url";
import { noteLine, readUndo } from "../../../provider/probe/asking/undo";
import { check } from "../../../provider/probe/check";
import { clean } from "../../../provider/probe/clean";
import { nodeFile } from "../../../provider/probe/finding";
import { type ProbeOptions, probe } from "../../../provider/probe/probe";
import { blocksOf } from "../../support/markdown";
import { Appliance, type ApplianceName, CLIENT, OWN } from "./appliance";
import type { Drawn } from "./drawn";

const SET = "prefixset://edge/probe";

/** An appliance whose clock moves when a probe waits, and a world with that clock. */
export function startAppliance(name: ApplianceName) {
  return started((clock) => Appliance.start(name, clock));
}

/** The same for one that is drawn. */
export function startDrawn({ node, receiver }: Pick<Drawn, "node" | "receiver">) {
  return started((clock) => Appliance.of(node, receiver, clock));
}

async function started(start: (clock: () => number) => Promise<Appliance>) {
  let now = 0;
  let lived: number | undefined;
  const clock = () => now + (lived === undefined ? 0 : performance.now() - lived);
  const appliance = await start(clock);
  const world = (): Partial<World> => ({
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      now += Math.ceil(ms);
    },
    monotonic: () => now,
    memories: new NodeMemories(),
  });
  /** From now on its time goes by itself. */
  const live = () => {
    lived = performance.now();
  };
  return Object.assign(appliance, { world, live });
}

type Started = Awaited<ReturnType<typeof startAppliance>>;

/** The options of its receiver. */
export const receiverOf = ({ url }: Started) => ({ url: `${url}/path`, ...CLIENT });

/** Its address, for a probe and for a clean-up after one. */
function reached(appliance: Started) {
  const node: NodeOptions = { endpoint: appliance.url };
  return { node, receiver: receiverOf(appliance) };
}

/**
 * A node as a user reaches it who has read what a first probe said: what no setting describes is read by a module of one's
 * own, the one of the page about the configuration.
 *
 * @param folder Where the module is put.
 */
export async function ownNode(appliance: Started, name: ApplianceName, folder: string): Promise<NodeOptions> {
  const { node } = reached(appliance);
  if (name !== "padded") return node;
  const [module] = blocksOf("docs/configuration.md").filter(({ language }) => language === "js");
  const read = join(folder, `${name}.cjs`);
  await writeFile(read, module?.text ?? "");
  return { ...node, answers: { read } };
}

/**
 * Settings that a probe writes about an appliance, as the members of a node and a receiver with which it is reached.
 *
 * @param folder Where a module of the user's own is put.
 */
export async function writtenBy(appliance: Started, name: ApplianceName, folder: string) {
  const { node, receiver } = reached(appliance);
  const result = await probed(appliance, { node: await ownNode(appliance, name, folder) });
  const { node: settings, receiver: told } = JSON.parse(JSON.stringify(nodeFile(result)));
  return { result, node: { ...node, ...settings }, receiver: { ...receiver, ...told } };
}

/** Checks an appliance by what a probe wrote. */
export function checkedWith(
  appliance: Started,
  { node, receiver }: Pick<Awaited<ReturnType<typeof writtenBy>>, "node" | "receiver">,
) {
  const own = { options: receiver, prefix: Prefix.parse(OWN) };
  return check({ node, urls: [parseUrl(SET)], write: true, receiver: own, world: appliance.world() });
}

/** Probes an appliance with everything that there is to ask. */
export function probed(appliance: Started, options: Partial<ProbeOptions> = {}) {
  const { node, receiver } = reached(appliance);
  return probe({
    node,
    urls: [parseUrl(SET)],
    write: true,
    receiver: { options: receiver, prefix: Prefix.parse(OWN) },
    world: appliance.world(),
    ...options,
  });
}

/**
 * Probes it in a process that is killed once so many requests have been carried out and before an answer to the last one is
 * read: nothing that it waits for comes any more.
 *
 * @returns what it had noted until then.
 */
export async function killedAt(
  appliance: Started,
  request: number,
  { node }: { readonly node: NodeOptions } = reached(appliance),
): Promise<string> {
  let notes = "";
  const world = appliance.world();
  const dead = new Promise<never>(() => {});
  const isDead = () => appliance.requests >= request;
  const killed = new Promise<void>((resolve) => {
    appliance.onRequest = (count) => {
      if (count >= request) resolve();
    };
  });
  const note: ProbeOptions["note"] = (one) => {
    if (!isDead()) notes += noteLine(one);
  };
  const sleep: World["sleep"] = (ms, signal) => (isDead() ? dead : (world.sleep ?? (() => dead))(ms, signal));
  const { dispatcher, agent } = dying(isDead);
  const whole = probed(appliance, { node, note, world: { ...world, sleep, dispatcher } });
  await Promise.race([killed, whole]);
  // What the last request does is done, and its answer is lost.
  await new Promise((resolve) => setTimeout(resolve, 20));
  await agent.destroy();
  appliance.onRequest = () => {};
  return notes;
}

/** Takes back what notes tell of. */
export function cleaned(appliance: Started, notes: string, own: { readonly node?: NodeOptions } = {}) {
  return clean(readUndo(notes), { ...reached(appliance), ...own, world: appliance.world() });
}

/** Connections whose answers are lost, and that send nothing more, once the process is dead. */
function dying(isDead: () => boolean) {
  const agent = new Agent({ connections: 4, pipelining: 1 });
  const dispatcher = agent.compose((dispatch) => (options, handler) => {
    if (isDead()) return true;
    return dispatch(options, {
      onRequestStart: (...given) => handler.onRequestStart?.(...given),
      onResponseStart: (...given) => (isDead() ? undefined : handler.onResponseStart?.(...given)),
      onResponseData: (...given) => (isDead() ? undefined : handler.onResponseData?.(...given)),
      onResponseEnd: (...given) => (isDead() ? undefined : handler.onResponseEnd?.(...given)),
      onResponseError: (...given) => (isDead() ? undefined : handler.onResponseError?.(...given)),
    });
  });
  return { agent, dispatcher };
}
