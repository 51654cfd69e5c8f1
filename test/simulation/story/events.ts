import type { Fault } from "../../../provider/emulator";
import type { Act, Disturbance, NodePlan, Turn } from "../scenario";
import { CANARY } from "../simulation";
import { CLIENT } from "../world/machines";
import type { Random } from "../world/random";
import { BLOCKED, FOREIGN, PARTNERS, type Sites, URGENT } from "./programs";

/** Acts of a node or receiver on a request. */
export const FAULTS: readonly Fault[] = [
  { status: 500 },
  { status: 500, when: "after" },
  { status: 503 },
  { status: 429, retryAfter: 1 },
  { kind: "delay", delay: 15_000, when: "after" },
  { kind: "silence" },
  { kind: "silence", when: "before" },
  { kind: "refuse", delay: 800 },
  { kind: "reset" },
  { kind: "lost-answer" },
  { kind: "truncated" },
  { kind: "html" },
  { kind: "html", status: 200 },
  { kind: "html", when: "after" },
  { kind: "unknown-shape" },
  { kind: "unknown-shape", when: "before" },
  { kind: "late-commit", delay: 700, cmd: "commit" },
  { kind: "stuck-commit", cmd: "commit" },
  { kind: "restart", delay: 500 },
  { kind: "stale-list", cmd: "list" },
  { kind: "full-table" },
];

/** Events during a run. */
export function disturbances(random: Random, sites: Sites, nodes: readonly NodePlan[]): Disturbance[] {
  if (random.chance(0.5)) return [];
  const count = random.chance(0.3) ? 2 : 1;
  return Array.from({ length: count }, () => disturbanceOf(random, sites, nodes));
}

function disturbanceOf(random: Random, sites: Sites, nodes: readonly NodePlan[]): Disturbance {
  const request = random.int(1, 14);
  switch (random.weighted({ fault: 8, kill: 3, cancel: 2, act: 4 })) {
    case "fault": {
      const [receiver] = sites.receivers;
      const at = receiver !== undefined && random.chance(0.25) ? receiver : random.pick(sites.nodes);
      const nth = random.pick([1, 1, 1, 2, 2, 3, 4, 5]);
      if (random.chance(0.1))
        return {
          kind: "fault",
          at,
          fault: { kind: "stuck-commit", cmd: "commit", nth: 1, times: random.pick([1, 100]) },
        };
      if (random.chance(0.06)) return { kind: "fault", at, fault: { ...quoting(random, at), nth, times: 100 } };
      if (random.chance(0.25))
        return { kind: "fault", at, fault: { kind: "stale-list", cmd: "list", nth, times: random.pick([1, 1, 2]) } };
      return { kind: "fault", at, fault: { ...random.pick(FAULTS), nth, times: random.pick([1, 1, 2, 100]) } };
    }
    case "kill":
      return { kind: "kill", request, when: random.pick(["before", "after"]) };
    case "cancel":
      return { kind: "cancel", request };
    case "act":
      return { kind: "act", request, act: actOf(random, sites, nodes) };
  }
}

/** Some sides quote what they cannot use. */
export function quoting(random: Random, at: string): Fault {
  return { status: random.pick([400, 500]), message: `unknown: ${at.startsWith("n") ? CANARY : CLIENT.secretKey}` };
}

/** Acts of an actor. */
export function actOf(random: Random, sites: Sites, nodes: readonly NodePlan[]): Act {
  const node = random.pick(nodes).name;
  const set = random.pick([BLOCKED, PARTNERS]);
  switch (
    random.weighted({
      colleague: 5,
      node: 4,
      client: 2,
      outage: 2,
      health: 3,
      time: 1,
      calendar: 1,
      restore: 1,
      onCall: 2,
    })
  ) {
    case "colleague":
      return colleague(random, node, set);
    case "node":
      return { actor: "node", node, restart: random.pick(["empty", "older", "same"] as const) };
    case "client": {
      const [receiver] = sites.receivers;
      if (receiver === undefined) return { actor: "time", ms: 60_000 };
      const prefix = random.pick(["198.51.100.1/32", "198.51.100.2/32", "198.51.100.200/32"]);
      return { actor: "client", receiver, ...(random.chance(0.7) ? { stop: [prefix] } : { start: [prefix] }) };
    }
    case "outage":
      return { actor: "outage", at: node, silent: random.chance(0.6) };
    case "health":
      // Often that of the first wave, which all others wait for.
      return {
        actor: "health",
        node: random.chance(0.5) ? (sites.own[1] ?? node) : node,
        state: random.pick(["fail", "fail", "hang", "pass"] as const),
      };
    case "time":
      return { actor: "time", ms: random.pick([60_000, 3_600_000]) };
    case "calendar":
      return { actor: "calendar", ms: random.pick([-86_400_000, 3_600_000]) };
    case "onCall": {
      const all = random.chance(0.7) ? nodes : nodes.slice(0, 1);
      const command = random.chance(0.7) ? "block" : "unblock";
      return { actor: "on-call", command, nodes: all.map(({ name }) => name), set: BLOCKED, prefix: URGENT };
    }
    case "restore":
      return { actor: "restore", stack: 0, runsAgo: random.int(1, 2) };
  }
}

function colleague(random: Random, node: string, set: string): Act {
  const commit = random.chance(0.65);
  const insert = random.chance(0.6)
    ? { [random.pick([...FOREIGN, "203.0.113.7/32", "192.0.2.0/25", "2001:db8::/32"])]: random.int(1, 9) }
    : undefined;
  const remove =
    insert && random.chance(0.6) ? undefined : [random.pick(["192.0.2.0/25", "203.0.113.0/24", "2001:db8::/32"])];
  return { actor: "colleague", node, set, commit, ...(insert && { insert }), ...(remove && { remove }) };
}

/** An outage or a bad health ends by itself after some turns, more often than not. */
export function lasting(random: Random, act: Act, before: readonly Turn[]): Turn[] {
  const turn: Turn = { kind: "act", act };
  const open = before.findLast((it) => it.kind === "act" && it.act.actor === act.actor);
  if (
    act.actor === "outage" &&
    open?.kind === "act" &&
    open.act.actor === "outage" &&
    open.act.silent &&
    random.chance(0.7)
  ) {
    return [{ kind: "act", act: { ...open.act, silent: false } }, turn];
  }
  if (act.actor === "health" && open?.kind === "act" && open.act.actor === "health" && random.chance(0.5)) {
    return [{ kind: "act", act: { ...open.act, state: "pass" } }, turn];
  }
  return [turn];
}
