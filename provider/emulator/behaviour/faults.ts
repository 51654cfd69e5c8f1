import { type ApiName, type RequestSummary, unlike } from "../journal/entry";
import { type RandomSource, seededRandom } from "../time/random";
import { strictly } from "../validation/strict";
import type { FaultDefinition } from "./fault-kind";
import { FAULT_KINDS, type FaultKind } from "./fault-kinds";
import { type Fault, faultSchema } from "./fault-schema";

/** A fault that was set. */
export interface ActiveFault {
  /** Counts from 1 and never repeats. */
  readonly id: number;
  /** The given fault, with its kind. */
  readonly fault: Fault & { readonly kind: FaultKind };
  /** Matching requests so far. */
  readonly seen: number;
  /** Requests that it affected. */
  readonly hits: number;
  /** True if it will affect no more requests. */
  readonly spent: boolean;
  /** Removes the fault. */
  remove(): void;
}

export type Occasion = RequestSummary & {
  readonly api: ApiName;
  readonly label?: string | undefined;
};

class Armed implements ActiveFault {
  seen = 0;
  hits = 0;
  private readonly random: RandomSource;

  constructor(
    readonly id: number,
    readonly fault: Fault & { readonly kind: FaultKind },
    seed: number,
    readonly remove: () => void,
  ) {
    this.random = seededRandom(seed);
  }

  get spent(): boolean {
    const { times, every, rate } = this.fault;
    return this.hits >= (times ?? (every === undefined && rate === undefined ? 1 : Number.POSITIVE_INFINITY));
  }

  toJSON(): Omit<ActiveFault, "remove"> {
    const { id, fault, seen, hits, spent } = this;
    return { id, fault, seen, hits, spent };
  }

  /** Counts a matching request; true if the fault is due for it. */
  isDue(occasion: Occasion): boolean {
    if (this.spent || !matches(this.fault, occasion)) return false;
    this.seen += 1;
    const { nth = 1, every, rate } = this.fault;
    if (this.seen < nth) return false;
    if (every !== undefined && (this.seen - nth + 1) % every !== 0) return false;
    return rate === undefined || this.random() < rate;
  }
}

export class Faults {
  private readonly armed = new Map<number, Armed>();
  private nextId = 1;

  constructor(private readonly seed: number) {}

  /** @throws {TypeError} when the fault is not valid. */
  add(fault: Fault): ActiveFault {
    const checked = strictly(faultSchema, fault, "The fault is not valid");
    const id = this.nextId;
    this.nextId += 1;
    const { kind = "error", rate, seed = this.seed } = checked;
    const whole = { ...checked, kind, ...(rate !== undefined && { seed }) };
    const armed = new Armed(id, whole, seed, () => this.remove(id));
    this.armed.set(id, armed);
    return armed;
  }

  /** The first fault that is due for a request. Every matching fault counts the request. */
  match(occasion: Occasion): ActiveFault | undefined {
    const [first] = [...this.armed.values()].filter((fault) => fault.isDue(occasion));
    if (first) first.hits += 1;
    return first;
  }

  list(): ActiveFault[] {
    return [...this.armed.values()];
  }

  /** False when there is no such fault. */
  remove(id: number): boolean {
    return this.armed.delete(id);
  }

  clear(): void {
    this.armed.clear();
  }
}

function matches(fault: Fault & { readonly kind: FaultKind }, occasion: Occasion): boolean {
  const { meets }: FaultDefinition = FAULT_KINDS[fault.kind];
  const { cmd, url } = occasion;
  // The url of a commit may be any, by the switch `commitUrl`.
  const isSet = cmd === "commit" || url?.startsWith("prefixset://") === true;
  const isMet = !meets || (cmd !== undefined && meets.includes(cmd) && isSet);
  return isMet && differences(fault, occasion).length === 0;
}

/** Members of a fault that do not match a request. */
export function differences({ api, cmd, op, url, type, client, run }: Fault, occasion: Occasion): string[] {
  return unlike(occasion, { api, cmd, op, url, type, client, run });
}
