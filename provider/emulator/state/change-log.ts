import { z } from "zod";
import { MAX_VALUE } from "../../model/entry";
import { jsonLines } from "../../model/json-lines";
import { plainData } from "../../model/plain-data";
import { parseUrl } from "../../model/resource-url";
import type { StagedValue } from "./commit-record";
import type { ParsedState } from "./state";

const changes = z.record(z.string(), z.int().min(0).max(MAX_VALUE).nullable());
const active = z.record(z.string(), z.array(z.string()));

const line = z.union([
  z.strictObject({ staged: z.string(), changes }),
  z.strictObject({ applied: z.string(), changes }),
  z.strictObject({ committed: z.string() }),
  z.strictObject({ taken: z.string() }),
  z.strictObject({ signaling: active, testSignaling: active }),
]);
type LogLine = z.infer<typeof line>;

/** Active signalings by client, of the deployment and of the test deployment. */
export type ActiveSignalings = Pick<Extract<LogLine, { signaling: unknown }>, "signaling" | "testSignaling">;

/** A change for the log; the others need the whole state to be written. */
export type LoggedChange = Exclude<Change, { kind: "marks" | "everything" }>;

export function lineOf(change: LoggedChange, signalings: () => ActiveSignalings): string {
  if (change.kind === "signaling") return `${JSON.stringify(signalings())}\n`;
  const changes = "changes" in change ? Object.fromEntries(change.changes) : undefined;
  return `${JSON.stringify({ [change.kind]: change.url, changes })}\n`;
}

type State = ParsedState & { arenas: NonNullable<ParsedState["arenas"]> };
type Entries = Record<string, number>;

/**
 * Applies a log to the state with which it begins. An incomplete last line is ignored: its request was not answered.
 *
 * @throws {SyntaxError} or a zod error if it is not a log.
 */
export function withChanges(state: ParsedState, log: string): ParsedState {
  const result: State = structuredClone({ ...state, arenas: state.arenas ?? {} });
  for (const text of jsonLines(log).lines) carryOut(result, line.parse(plainData(text)));
  return result;
}

function carryOut(state: State, step: LogLine): void {
  if ("signaling" in step) {
    setActive(state, step);
    return;
  }
  state.staged ??= {};
  if ("staged" in step) {
    state.staged[step.staged] = Object.assign(state.staged[step.staged] ?? {}, step.changes);
    entriesOf(state, step.staged);
  } else if ("applied" in step) {
    apply(entriesOf(state, step.applied), step.changes);
  } else if ("committed" in step) {
    apply(entriesOf(state, step.committed), state.staged[step.committed] ?? {});
    delete state.staged[step.committed];
  } else delete state.staged[step.taken];
}

/** The entries of a set, which is created if a request created it. */
function entriesOf({ arenas }: State, text: string): Entries {
  const url = parseUrl(text);
  if (url.kind !== "prefixset") throw new SyntaxError(`${text} is not a prefix-set`);
  const arena = arenas[url.arena] ?? {};
  arenas[url.arena] = arena;
  let owner: { sets?: Record<string, Entries> | undefined } = arena;
  if (url.profile !== undefined) {
    const profiles = arena.profiles ?? {};
    arena.profiles = profiles;
    owner = profiles[url.profile] ?? {};
    profiles[url.profile] = owner;
  }
  owner.sets ??= {};
  const entries = owner.sets[url.set] ?? {};
  owner.sets[url.set] = entries;
  return entries;
}

function apply(entries: Entries, changes: Record<string, number | null>): void {
  for (const [prefix, value] of Object.entries(changes)) {
    if (value === null) delete entries[prefix];
    else entries[prefix] = value;
  }
}

function setActive(state: State, { signaling, testSignaling }: ActiveSignalings): void {
  const sides = [
    [state.signaling?.clients, signaling],
    [state.signaling?.testClients, testSignaling],
  ] as const;
  for (const [clients = [], active] of sides) {
    for (const client of clients) {
      const prefixes = active[client.clientId] ?? [];
      if (prefixes.length > 0) client.active = prefixes;
      else delete client.active;
    }
  }
}

/** A change of the content, for `persist`. */
export type Change =
  /** Changes were staged in a set, or applied to its entries without staging. */
  | { readonly kind: "staged" | "applied"; readonly url: string; readonly changes: ReadonlyMap<string, StagedValue> }
  /** The staged changes of a set were applied, or taken out of staging. */
  | { readonly kind: "committed" | "taken"; readonly url: string }
  /** Signalings were started or stopped. */
  | { readonly kind: "signaling" }
  /** Packets changed marks, which is frequent, and no answer waits for it. */
  | { readonly kind: "marks" }
  /** Everything may have changed. */
  | { readonly kind: "everything" };
