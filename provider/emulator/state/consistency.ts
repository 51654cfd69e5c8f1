import { nearest } from "../../model/nearest";
import { Prefix } from "../../model/prefix";
import { formatUrl } from "../../model/resource-url";
import { defaultClients, defaultTestClients } from "./default-state";
import { type ParsedState, type SignalingClientState, StateError } from "./state";

/**
 * The signaling clients of a state. A default client moves prefixes only if the state has its profiles, so that a state
 * without signaling needs none.
 */
export function clientsOf({ arenas = {}, signaling }: ParsedState): readonly SignalingClientState[] {
  return (signaling?.clients ?? defaultClients).map((client) => {
    const { arena, idleProfile, activeProfile, ...still } = client;
    const profiles = arenas[arena ?? ""]?.profiles ?? {};
    const exist = [idleProfile, activeProfile].every((name) => profiles[name ?? ""] !== undefined);
    return exist || !isDefault(client) ? client : still;
  });
}

/**
 * Checks the references of a state: profiles of signaling clients exist, and no prefix is bound to two profiles.
 *
 * @throws {StateError} naming every mistake.
 */
export function checkConsistency(state: ParsedState): void {
  const problems = [...bindingProblems(state), ...clientProblems(state)];
  if (problems.length > 0) throw new StateError(`The state is not valid: ${problems.slice(0, 10).join("; ")}.`);
}

/** Prefixes with two bindings, each reported at the second one. */
function* bindingProblems({ arenas = {}, signaling }: ParsedState): Generator<string> {
  const bound = new Map<string, string>();
  for (const [arena, { profiles = {} }] of Object.entries(arenas)) {
    for (const [profile, { prefixes = [] }] of Object.entries(profiles)) {
      const url = formatUrl({ kind: "profile", arena, profile });
      for (const [at, text] of prefixes.entries()) {
        const prefix = Prefix.parse(text).toString();
        const other = bound.get(prefix);
        if (other !== undefined) {
          yield `arenas.${arena}.profiles.${profile}.prefixes.${at}: ${prefix} is bound to ${other} already`;
        } else bound.set(prefix, url);
      }
    }
  }
  for (const [at, client] of (signaling?.clients ?? []).entries()) {
    const { arena, idleProfile, prefixes } = client;
    if (arena === undefined || idleProfile === undefined || isDefault(client)) continue;
    const idle = formatUrl({ kind: "profile", arena, profile: idleProfile });
    for (const [index, text] of prefixes.entries()) {
      const prefix = Prefix.parse(text).toString();
      const other = bound.get(prefix);
      if (other === undefined || other === idle) bound.set(prefix, idle);
      else yield `signaling.clients.${at}.prefixes.${index}: ${prefix} is bound to ${other}, and not to ${idle}`;
    }
  }
}

/** Arenas and profiles of signaling clients that do not exist, and ids that both deployments have. */
function* clientProblems({ arenas = {}, signaling }: ParsedState): Generator<string> {
  const { clients = defaultClients, testClients = defaultTestClients } = signaling ?? {};
  for (const [at, client] of clients.entries()) {
    const { arena } = client;
    if (arena === undefined || isDefault(client)) continue;
    const place = `signaling.clients.${at}`;
    const profiles = arenas[arena]?.profiles;
    if (arenas[arena] === undefined) yield missing(`${place}.arena`, `arena "${arena}"`, arena, Object.keys(arenas));
    for (const member of ["idleProfile", "activeProfile"] as const) {
      const name = client[member];
      if (arenas[arena] === undefined || name === undefined || profiles?.[name] !== undefined) continue;
      const what = `profile "${name}" in the arena "${arena}"`;
      yield missing(`${place}.${member}`, what, name, Object.keys(profiles ?? {}));
    }
  }
  for (const [at, { clientId }] of testClients.entries()) {
    const own = clients.findIndex((client) => client.clientId === clientId);
    if (own === -1) continue;
    yield signaling?.testClients
      ? `signaling.testClients.${at}.clientId: ${clientId} is a client of the receiver, too`
      : `signaling.clients.${own}.clientId: ${clientId} is that of a default test client`;
  }
}

function missing(place: string, what: string, name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  const there = near === undefined ? `there are ${known.join(", ") || "none"}` : `did you mean "${near}"?`;
  return `${place}: there is no ${what}; ${there}`;
}

/** True for a client with the profiles of a default one, as in exported states. */
function isDefault({ clientId, arena, idleProfile, activeProfile }: SignalingClientState): boolean {
  return defaultClients.some(
    (it) =>
      it.clientId === clientId &&
      it.arena === arena &&
      it.idleProfile === idleProfile &&
      it.activeProfile === activeProfile,
  );
}
