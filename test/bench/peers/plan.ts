/** One resource with all entries, or a resource for each entry. */
export const WORKLOADS = ["set", "entries"] as const;
export type Workload = (typeof WORKLOADS)[number];

/** Steps of a user, in order. */
export const STEPS = ["create", "nothing", "change", "refresh", "destroy"] as const;
export type Step = (typeof STEPS)[number];

/** In the order of the tables. The first is the measure of the others. */
export const PEERS = ["floor", "ours", "plugin", "by-hand", "in-bulk", "terraform", "terraform-map", "script"] as const;
export type PeerName = (typeof PEERS)[number];

/** Those that run on the same engine as this package, whose floor is the first. */
export const ON_ENGINE: readonly PeerName[] = ["ours", "plugin", "by-hand", "in-bulk"];

/** Real milliseconds that each request to the node takes. */
export const LATENCY_MS = 2;

/** A comparison: all peers do each step before any does the next. */
export interface Group {
  readonly workload: Workload;
  readonly size: number;
  readonly steps: readonly Step[];
}

/** Selection by `--only`; an empty list of a kind selects all of it. */
export interface Selection {
  readonly peers: readonly PeerName[];
  readonly workloads: readonly Workload[];
  readonly steps: readonly Step[];
  readonly sizes: readonly number[];
}

/** Every size with every step. What takes long comes last, so that a run that is cut short has the rest. */
export const PLAN: readonly Group[] = [
  ...sizes("set", [1, 100, 1_000]),
  ...sizes("entries", [1, 100, 300]),
  ...sizes("set", [10_000]),
  ...sizes("entries", [1_000]),
  ...sizes("set", [50_000]),
];

/** The selected part of a plan. Steps end with the last selected one, since each continues from the previous one. */
export function selected(plan: readonly Group[], { workloads, steps, sizes: chosen }: Selection): Group[] {
  const last = Math.max(...steps.map((step) => STEPS.indexOf(step)));
  return plan
    .filter(({ workload }) => workloads.length === 0 || workloads.includes(workload))
    .filter(({ size }) => chosen.length === 0 || chosen.includes(size))
    .map((group) => ({
      ...group,
      steps: group.steps.filter((step) => steps.length === 0 || STEPS.indexOf(step) <= last),
    }));
}

/** The words of `--only`: names of peers, workloads and steps, and sizes. A text says which word is none of them. */
export function selection(words: readonly string[], plan: readonly Group[]): Selection | string {
  const sizesThere = [...new Set(plan.map(({ size }) => size))].sort((a, b) => a - b);
  const names = [...PEERS, ...WORKLOADS, ...STEPS, ...sizesThere.map(String)];
  const wrong = words.find((word) => !names.includes(word));
  if (wrong !== undefined) return `"${wrong}" is nothing to choose. There are: ${names.join(", ")}.`;
  return {
    peers: PEERS.filter((name) => words.includes(name)),
    workloads: WORKLOADS.filter((name) => words.includes(name)),
    steps: STEPS.filter((name) => words.includes(name)),
    sizes: sizesThere.filter((size) => words.includes(String(size))),
  };
}

/**
 * Roughly the seconds that a group takes with all peers on two quiet cores, to say how long a run will be and what still fits into it.
 * Creating and destroying single entries costs either engine more with each entry that its state holds; a large map costs Terraform most.
 */
export function roughSeconds({ workload, size, steps }: Group): number {
  const long = steps.filter((step) => step === "create" || step === "destroy").length;
  if (workload === "set") {
    const engines = 4 * (1.3 + size * 1e-4) + size * 4e-4;
    const waiting = Math.min(size, 10_000) * (0.0015 + LATENCY_MS / 1_000);
    return steps.length * engines + long * waiting;
  }
  const engines = 3 * (1.3 + size * 5e-3) + size * 5e-3;
  const writing = 5 * (size * 4e-3 + size ** 2 * 2e-5);
  return steps.length * engines + long * (writing + size * 0.006);
}

/** Names a part at a size for people. */
export function partTitle({ workload, size }: Pick<Group, "workload" | "size">): string {
  const number = size.toLocaleString("en").replaceAll(",", " ");
  return workload === "set" ? `one set of ${number}` : `${number} single entries`;
}

function sizes(workload: Workload, all: readonly number[]): Group[] {
  return all.map((size) => ({ workload, size, steps: STEPS }));
}

/**
 * The entries of a run, canonical and of the documentation prefix, since there are fewer than a thousand addresses for that in IPv4. In `changed` ones every
 * hundredth has another value.
 */
export function entriesOf(size: number, changed: boolean): Record<string, number> {
  const group = (number: number) => (number + 1).toString(16);
  return Object.fromEntries(
    Array.from({ length: size }, (_, index) => [
      `2001:db8:${group(index >> 8)}:${group(index & 255)}::/64`,
      changed && index % 100 === 0 ? 2 : 1,
    ]),
  );
}
