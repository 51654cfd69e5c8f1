import { z } from "zod";
import { MAX_VALUE } from "../../model/entry-value";
import { parseUrl } from "../../model/resource-url";
import { LIGHT_SLICE, type SlicedWork } from "../time/slices";
import type { Change } from "./change";
import type { EmulatorState } from "./state";

const changes = z.record(z.string(), z.int().min(0).max(MAX_VALUE).nullable());
const active = z.record(z.string(), z.array(z.string()));

/** A line of a log. With `more` the lines that follow belong to it, and it counts only with all of them. */
const line = z.union([
  z.strictObject({ staged: z.string(), changes, more: z.literal(true).optional() }),
  z.strictObject({ applied: z.string(), changes, more: z.literal(true).optional() }),
  z.strictObject({ committed: z.string() }),
  z.strictObject({ taken: z.string() }),
  z.strictObject({ signaling: active, testSignaling: active }),
]);
type LogLine = z.infer<typeof line>;

/** Active signalings by client, of the deployment and of the test deployment. */
export type ActiveSignalings = Pick<Extract<LogLine, { signaling: unknown }>, "signaling" | "testSignaling">;

/** A change that a log can hold: the others are kept by writing the whole state. */
export type LoggedChange = Exclude<Change, { kind: "marks" | "everything" }>;

/** The lines of a change; a long one in slices. */
export function* linesOf(change: LoggedChange, signalings: () => ActiveSignalings): SlicedWork<string> {
  const text = (it: LogLine) => `${JSON.stringify(it)}\n`;
  if (change.kind === "signaling") return text(signalings());
  const { url } = change;
  if (change.kind === "committed") return text({ committed: url });
  if (change.kind === "taken") return text({ taken: url });
  const parts: string[] = [];
  let part: Record<string, number | null> = {};
  let count = 0;
  const close = (more?: true) => {
    const end = { changes: part, ...(more && { more }) };
    parts.push(text(change.kind === "staged" ? { staged: url, ...end } : { applied: url, ...end }));
    part = {};
  };
  for (const [prefix, value] of change.changes) {
    part[prefix] = value;
    count += 1;
    if (count % LIGHT_SLICE !== 0 || count === change.changes.size) continue;
    close(true);
    yield;
  }
  close();
  return parts.join("");
}

type State = EmulatorState & { arenas: NonNullable<EmulatorState["arenas"]> };
type Entries = Record<string, number>;

/**
 * The state that a log makes of the one that it begins with. A last line that breaks off was never answered, and neither
 * was one whose other lines are missing: both are left out.
 *
 * @throws {SyntaxError} or a zod error for anything else that is no log.
 */
export function replayLog(state: EmulatorState, log: string): EmulatorState {
  const result: State = structuredClone({ ...state, arenas: state.arenas ?? {} });
  let begun: LogLine[] = [];
  for (const text of log.split("\n").slice(0, -1)) {
    const parsed = line.parse(JSON.parse(text));
    begun.push(parsed);
    if ("more" in parsed) continue;
    for (const each of begun) carryOut(result, each);
    begun = [];
  }
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

/** The entries of a set, which a request may have made. */
function entriesOf({ arenas }: State, text: string): Entries {
  const url = parseUrl(text);
  if (url.kind !== "prefixset") throw new SyntaxError(`${text} is no prefix-set`);
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
