import type { DialectSettings, Emulator } from "../../../provider/emulator";
import { startOnOwnPort } from "../../support/ports";
import { MiniEngine, type Outcome } from "./engine";
import { HurriedWorld } from "./hurried-world";
import type { Kind } from "./kinds";
import { ProcessKilled } from "./provider-process";
import { NODE, type Scenario } from "./scenarios";
import { gaps, type Held, heldBy, keptThroughout, wantedBy } from "./truth";

/** Run after the failure. */
export type Next = "same" | "previous" | "destroy";

/** A node that settles the open points of the contract in its own way. */
export interface Dialect {
  readonly name: string;
  /** Switches, or a name such as `seed:42`. */
  readonly settings: DialectSettings | string;
  /** False for a kind of failure that cannot be noticed on such a node. */
  readonly shows?: (kind: Kind) => boolean;
  /** Milliseconds until an effect shows. */
  readonly lag?: number;
}

/** One cell of the matrix. */
export interface Case {
  readonly scenario: Scenario;
  readonly kind: Kind;
  /** The request that it happens to, counted from 1. */
  readonly request: number;
  /** True: it goes on happening until the run ends. */
  readonly lasting: boolean;
  readonly next: Next;
}

export interface Verdict {
  readonly title: string;
  /** Name of the kind of failure. */
  readonly kind: string;
  /** False when the run ended before the request came. */
  readonly met: boolean;
  /** True when the run succeeded in spite of the fault. */
  readonly unharmed: boolean;
  /** Broken promises; empty if all hold. */
  readonly problems: readonly string[];
}

/** Clients that give up soon, so that a walk of all failures is quick. */
const IMPATIENT = { timeoutMs: 40, deadlineMs: 2_000 };

/** An emulator and the configuration of a stack that uses it. */
export async function stage(
  dialect?: Dialect,
): Promise<{ emulator: Emulator; config: Record<string, unknown> & { node: object } }> {
  const emulator = await startOnOwnPort({
    state: NODE,
    seed: 1,
    ...(dialect !== undefined && { dialect: dialect.settings }),
  });
  const [client] = emulator.clients;
  const { endpoint, signalingUrl } = emulator;
  const { clientId, secretKey } = client ?? {};
  // A node whose empty list cannot be told from an answer without one: the error says what to set, and this is it.
  const { entryForm, listEnvelope } = emulator.dialect;
  const answers = entryForm === "keyed" || listEnvelope === "keyed" ? { answers: { empty: "{}" } } : {};
  return {
    emulator,
    config: { endpoint, signalingUrl, clientId, secretKey, node: { commitCoalesceMs: 4, ...answers } },
  };
}

/** Number of requests that the scenario sends without a failure. */
export async function requestsOf(scenario: Scenario, dialect?: Dialect): Promise<number> {
  await using run = await open(scenario, dialect);
  const before = run.emulator.journal.length;
  const { errors } = await run.engine.up(scenario.after);
  if (errors.length > 0) throw new Error(`${scenario.name} fails without any fault: ${errors[0]?.message}`);
  return run.emulator.journal.length - before;
}

/** Runs one case from an empty node to the end, and judges everything that was promised about it. */
export async function walk({ scenario, kind, request, lasting, next }: Case, dialect?: Dialect): Promise<Verdict> {
  const followed = scenario.later && next === "previous" ? "same" : next;
  return follow({ scenario, kind, request, lasting, next: followed }, dialect);
}

async function follow({ scenario, kind, request, lasting, next }: Case, dialect?: Dialect): Promise<Verdict> {
  const when = `${lasting ? "from" : "at"} request ${request}`;
  const title = [dialect?.name, scenario.name, kind.name, when, `then ${next}`]
    .filter((part) => part !== undefined)
    .join(", ");
  await using run = await open(scenario, dialect);
  const { emulator, engine } = run;
  const problems: string[] = [];
  const require = (isSo: boolean, sentence: string) => void (isSo || problems.push(sentence));

  // The run that fails.
  const kept = keptThroughout(heldBy(emulator), scenario.after);
  const start = emulator.journal.length;
  const former = engine.state;
  const fault = kind.fault && emulator.fail({ ...kind.fault, nth: request, times: lasting ? 1_000_000 : 1 });
  const world = new HurriedWorld(kind.death && { request, when: kind.death });
  const hurt = await engine.up(scenario.after, { world, timing: IMPATIENT });
  const met = fault ? fault.hits > 0 : hurt.errors.some((error) => error instanceof ProcessKilled);
  emulator.clearFaults();
  await settled(emulator, (kind.lingers ?? 0) + 3 * (dialect?.lag ?? 0));
  for (const gap of gaps(emulator, start, kept)) problems.push(`gap in the failing run: ${gap}`);
  if (!kind.death) {
    for (const error of hurt.errors) require(isHelpful(error, emulator), `unhelpful error: ${error.message}`);
    problems.push(...untruths(engine, emulator, former));
  }

  // The next plain run.
  const program = { same: scenario.after, previous: scenario.before, destroy: [] }[next];
  const middle = emulator.journal.length;
  const keptAgain = keptThroughout(heldBy(emulator), program);
  // A failed delete leaves no trace in the state: who wants its object again has to look (the error says so).
  const refresh = next === "previous" && hurt.errors.length > 0 && hurt.steps.some((step) => step.startsWith("delete"));
  const runs: Outcome[] = [await (next === "destroy" ? engine.destroy() : engine.up(program, { refresh }))];
  if (scenario.found && next === "same") runs.push(await engine.up(program));
  for (const { errors } of runs) for (const error of errors) problems.push(`the next run fails: ${error.message}`);
  // Where the node went away before a staged removal could be taken back, the next commit publishes it, and puts it right.
  const isRestored = runs.some(({ printed }) =>
    printed.some((line) => line.includes("put back, since this stack declares it")),
  );
  const found = gaps(emulator, middle, keptAgain);
  if (!refresh || !isRestored) for (const gap of found) problems.push(`gap in the next run: ${gap}`);

  // What holds in the end.
  const isLimit = kind.death !== undefined && next !== "same";
  if (!isLimit) {
    const expected = next === "same" || !scenario.found ? wantedBy(program) : undefined;
    const held = heldBy(emulator);
    if (expected) require(same(held, expected), `it holds ${show(held)} instead of ${show(expected)}`);
  }
  if (isLimit && next === "previous") {
    // What a killed run created is in no state. Everything that is wanted holds all the same, once the set was listed.
    const { errors } = await engine.up(program, { refresh: true });
    for (const error of errors) problems.push(`up --refresh fails: ${error.message}`);
    require(holds(
      heldBy(emulator),
      wantedBy(program),
    ), `it holds ${show(heldBy(emulator))}, not all of ${show(wantedBy(program))}`);
  }
  if (next !== "destroy") {
    const again = await engine.preview(program);
    require(again.steps.length === 0, `another up would still do: ${again.steps.join(", ")}`);
    if (!isLimit && !scenario.found) {
      const seen = await engine.preview(program, { refresh: true });
      require(seen.errors.length + seen.steps.length ===
        0, `drift is left: ${[...seen.steps, ...seen.errors].join(", ")}`);
    }
  }
  require(engine.state.length === program.length, `the state holds ${engine.state.length} resources`);
  return { title, kind: kind.name, met, unharmed: hurt.errors.length === 0, problems };
}

async function open(scenario: Scenario, dialect?: Dialect) {
  const { emulator, config } = await stage(dialect);
  for (const [url, insert] of Object.entries(scenario.found ?? {})) emulator.change(url, { insert });
  const { endpoint } = emulator;
  const alias = endpoint.replace("127.0.0.1", "localhost");
  const located = (more: Record<string, unknown> = {}) => {
    const placed = JSON.parse(JSON.stringify(more).replaceAll("ENDPOINT", endpoint).replaceAll("ALIAS", alias));
    return { ...config, ...placed, node: { ...config.node, ...placed.node } };
  };
  const first = new MiniEngine(located(scenario.config));
  const { errors } = await first.up(scenario.before);
  if (errors.length > 0) throw new Error(`${scenario.name} cannot be set up: ${errors[0]?.message}`);
  const engine = new MiniEngine(located({ ...scenario.config, ...scenario.later }));
  engine.state = first.state;
  return { emulator, engine, [Symbol.asyncDispose]: () => emulator.close() };
}

/** Waits until late effects have happened and the port is open again. */
export async function settled(emulator: Emulator, lingers = 0): Promise<void> {
  if (lingers > 0) await new Promise((resolve) => setTimeout(resolve, lingers + 10));
  for (;;) {
    try {
      await fetch(emulator.endpoint);
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

/** An error names what failed, where, and what to do. */
function isHelpful({ message }: Error, emulator: Emulator): boolean {
  // The port, since a node may have several addresses, or the node's name in the configuration.
  const place = `:${new URL(emulator.endpoint).port}`;
  return (
    /prefixset:\/\/edge\/(blocked|partners)|[Ss]ignaling/.test(message) &&
    (message.includes(place) || / on (one|two|uno):/.test(message)) &&
    /pulumi/.test(message)
  );
}

/** False entries of a state that does not mark them as unsettled. */
function untruths(engine: MiniEngine, emulator: Emulator, former: readonly { name: string }[]): string[] {
  const held = heldBy(emulator);
  const found: string[] = [];
  for (const { type, name, outputs } of engine.state) {
    const unsettled = new Set(Array.isArray(outputs.unsettled) ? outputs.unsettled : []);
    const isOpen = (prefix: string) => unsettled.has(prefix) || outputs.unsettled === true;
    const isFormer = former.some((it) => it.name === name) && !engine.state.find((it) => it.name === name)?.failed;
    if (isFormer) continue;
    const entries = held.sets[String(outputs.url)] ?? {};
    if (type === "PrefixSet") {
      for (const [prefix, value] of Object.entries(outputs.entries as Record<string, number>)) {
        if (entries[prefix] !== value && !isOpen(prefix))
          found.push(`state of ${name}: ${prefix} is not there with ${value}`);
      }
    } else if (type === "PrefixSetEntry") {
      const prefix = String(outputs.prefix);
      const is = outputs.absent === true ? undefined : (outputs.value ?? 1);
      if (entries[prefix] !== is && !isOpen(prefix)) found.push(`state of ${name}: ${prefix} is not ${is}`);
    } else {
      for (const prefix of outputs.prefixes as string[]) {
        if (!held.active.includes(prefix) && !isOpen(prefix)) found.push(`state of ${name}: ${prefix} is not active`);
      }
    }
  }
  return found;
}

function same(a: unknown, b: unknown): boolean {
  return show(a) === show(b);
}

function show(value: unknown): string {
  return JSON.stringify(value);
}

/** True when all of `wanted` is there. */
function holds(held: Held, wanted: Held): boolean {
  const isThere = ([url, entries]: [string, Record<string, number>]) =>
    Object.entries(entries).every(([prefix, value]) => held.sets[url]?.[prefix] === value);
  return Object.entries(wanted.sets).every(isThere) && wanted.active.every((prefix) => held.active.includes(prefix));
}
