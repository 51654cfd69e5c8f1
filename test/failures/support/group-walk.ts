import { afterAll, expect } from "vitest";
import type { Emulator } from "../../../provider/emulator";
import { type Declared, MiniEngine } from "./engine";
import { HurriedWorld } from "./hurried-world";
import { KINDS, type Kind } from "./kinds";
import { ProcessKilled } from "./provider-process";
import { BLOCKED } from "./scenarios";
import { gaps } from "./truth";
import { settled, stage } from "./walk";

const [A, B, C, D] = ["192.0.2.0/25", "192.0.2.128/25", "203.0.113.0/24", "2001:db8::/32"] as const;
const ALL = ["n1", "n2", "n3"] as const;
type Entries = Readonly<Record<string, number>>;

/** Change of a user in one `up`: from entries on some nodes to entries on some. */
export interface Change {
  readonly name: string;
  readonly before?: readonly [Entries, readonly string[]];
  readonly after?: readonly [Entries, readonly string[]];
}

export const CHANGES: readonly Change[] = [
  { name: "create", after: [{ [A]: 1, [B]: 1 }, ALL] },
  { name: "update", before: [{ [A]: 1, [B]: 1, [C]: 1 }, ALL], after: [{ [B]: 2, [C]: 1, [D]: 7 }, ALL] },
  { name: "n2 joins", before: [{ [A]: 1 }, ["n1", "n3"]], after: [{ [A]: 1, [B]: 1 }, ALL] },
  { name: "n2 leaves", before: [{ [A]: 1, [B]: 1 }, ALL], after: [{ [B]: 1, [C]: 1 }, ["n1", "n3"]] },
  { name: "destroy", before: [{ [A]: 1, [B]: 1 }, ALL] },
];

/** The change whose walk shows all that there is to see; those of the others run with `npm run test:long`. */
export const SHORT = "update";

const program = (wanted: Change["after"]): Declared[] =>
  wanted
    ? [
        {
          type: "PrefixSetGroup",
          name: "blocked",
          args: { arena: "edge", set: "blocked", entries: wanted[0], nodes: wanted[1] },
        },
      ]
    : [];

const nodes: Record<string, Emulator> = {};
const config = { nodes: {} as Record<string, unknown>, distinctNodes: true };
afterAll(async () => void (await Promise.all(Object.values(nodes).map((node) => node.close()))));

/** Three nodes that hold what the program before put there, and the engine that did it. */
async function opened({ before }: Change): Promise<MiniEngine> {
  for (const name of ALL) {
    if (!nodes[name]) {
      const { emulator } = await stage();
      nodes[name] = emulator;
      config.nodes[name] = { endpoint: emulator.endpoint, timeoutMs: 40, deadlineMs: 2_000, commitCoalesceMs: 4 };
    }
    nodes[name]?.clearFaults();
    nodes[name]?.reset();
  }
  const engine = new MiniEngine(config);
  const { errors } = await engine.up(program(before));
  expect(errors).toEqual([]);
  return engine;
}

const node = (name: string) => nodes[name] as Emulator;
const held = (name: string): Entries => node(name).prefixSet(BLOCKED).applied;
/** Wanted content of each node. */
const wantedOn = (name: string, wanted: Change["after"]): Entries => (wanted?.[1].includes(name) ? wanted[0] : {});
const apply = (engine: MiniEngine, wanted: Change["after"], world?: HurriedWorld) =>
  wanted ? engine.up(program(wanted), world && { world }) : engine.destroy(world && { world });

/** Runs the change while one node fails at one request, and what the next run makes of it. @returns what is wrong */
async function walk(change: Change, kind: Kind, request: number, next: "same" | "previous"): Promise<string[]> {
  const engine = await opened(change);
  const { before, after } = change;
  const problems: string[] = [];
  const start = Object.fromEntries(ALL.map((name) => [name, node(name).journal.length]));
  const kept = Object.fromEntries(
    ALL.map((name) => [
      name,
      Object.fromEntries(Object.entries(held(name)).filter(([it]) => it in wantedOn(name, after))),
    ]),
  );
  const fault = kind.fault && node("n2").fail({ ...kind.fault, nth: request, times: 1_000_000 });
  const world = new HurriedWorld(kind.death && { request, when: kind.death });
  const hurt = await apply(engine, after, world);
  if (fault ? fault.hits === 0 : !hurt.errors.some((error) => error instanceof ProcessKilled)) return problems;
  for (const name of ALL) node(name).clearFaults();
  await settled(node("n2"), kind.lingers);
  for (const name of ALL) {
    for (const gap of gaps(node(name), start[name] as number, {
      sets: { [BLOCKED]: kept[name] as Entries },
      active: [],
    }))
      problems.push(`${name}: ${gap}`);
  }
  if (!kind.death) {
    for (const name of ["n1", "n3"])
      if (!same(held(name), wantedOn(name, after))) problems.push(`${name} is not done: ${JSON.stringify(held(name))}`);
    for (const { message } of hurt.errors) if (!/ on n2[ :]/.test(message)) problems.push(`unhelpful: ${message}`);
    problems.push(...untruths(engine, after));
  }
  const goal = next === "same" ? after : before;
  // A failed delete leaves no trace in the state: who wants its object again has to look.
  const isGone = next === "previous" && !after;
  const { errors } = isGone ? await engine.up(program(goal), { refresh: true }) : await apply(engine, goal);
  for (const { message } of errors) problems.push(`the next run fails: ${message}`);
  // What a killed run put in is in no state.
  const isLimit = kind.death !== undefined && next === "previous";
  for (const name of isLimit ? [] : ALL)
    if (!same(held(name), wantedOn(name, goal)))
      problems.push(`${name} holds ${JSON.stringify(held(name))} in the end`);
  if (goal && !isLimit) {
    const again = await engine.preview(program(goal), { refresh: true });
    if (again.steps.length + again.errors.length > 0) problems.push(`drift is left: ${again.steps}${again.errors}`);
  }
  return problems;
}

/** False entries of n2 in a state that does not mark them as unsettled. */
function untruths(engine: MiniEngine, after: Change["after"]): string[] {
  const [kept] = engine.state;
  if (!kept?.failed || !after) return [];
  const { entries, nodes, differs, unsettled } = kept.outputs as {
    entries: Entries;
    nodes: Record<string, unknown>;
    differs?: Record<string, Record<string, number | null>>;
    unsettled?: Record<string, string[]>;
  };
  // What a node holds that left the program is listed against nothing.
  const said = { ...("n2" in nodes ? entries : {}), ...differs?.n2 };
  const open = new Set(unsettled?.n2);
  return [...new Set([...Object.keys(said), ...Object.keys(held("n2"))])]
    .filter((prefix) => !open.has(prefix) && (said[prefix] ?? undefined) !== held("n2")[prefix])
    .map((prefix) => `state: ${prefix} is not ${said[prefix]} on n2`);
}

function same(a: Entries, b: Entries): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => a[key] === b[key]);
}

/** Runs the change once for each kind of failure of each request to n2. @returns what is wrong */
export async function walkAll(change: Change): Promise<string[]> {
  await apply(await opened(change), change.after);
  const requests = node("n2").journal.length;
  const problems: string[] = [];
  for (const [index, kind] of KINDS.entries()) {
    for (let request = 1; request <= requests; request += 1) {
      const next = (index + request) % 2 === 0 ? "same" : "previous";
      const found = await walk(change, kind, request, next);
      problems.push(...found.map((text) => `${kind.name}, request ${request}, then ${next}: ${text}`));
    }
  }
  return problems;
}
