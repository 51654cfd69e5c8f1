import { count, grouped } from "../model/text";
import type { Addresses, EntryList, Report, SetReport, SignalingReport, WholeChange } from "./model";

/** Prefixes of a list that are named as the widest. */
const WIDEST = 3;
const SIXTY_FOUR = 1n << 64n;

/** `256 IPv4 addresses`, `65 536 /64 of IPv6`, both, or nothing. */
export function addressWords({ ipv4, ipv6 }: Addresses): string {
  const [four, six] = [BigInt(ipv4), BigInt(ipv6)];
  const parts = [
    ...(four > 0n ? [`${grouped(four)} IPv4 ${four === 1n ? "address" : "addresses"}`] : []),
    ...(six > 0n && six < SIXTY_FOUR ? [`${grouped(six)} IPv6 ${six === 1n ? "address" : "addresses"}`] : []),
    ...(six >= SIXTY_FOUR ? [`${grouped(six / SIXTY_FOUR)} IPv6 networks of /64`] : []),
  ];
  return parts.join(" and ");
}

/** `7 entries in (256 IPv4 addresses)`; `way` is the word after the number. */
export function listWords({ count: number, addresses }: Counted, way = ""): string {
  const covered = addressWords(addresses);
  return `${count(number, "entry", "entries")}${way && ` ${way}`}${covered === "" ? "" : ` (${covered})`}`;
}

type Counted = Pick<EntryList, "count" | "addresses">;

/** Clauses for entries that come, go and change; none where there are no such entries. */
export function changeWords(changes: {
  readonly in: Counted;
  readonly out: Counted;
  readonly changed: Pick<Counted, "count">;
  readonly renoted: Pick<Counted, "count">;
}): string[] {
  const { in: coming, out, changed, renoted } = changes;
  return [
    ...(coming.count > 0 ? [listWords(coming, "in")] : []),
    ...(out.count > 0 ? [listWords(out, "out")] : []),
    ...(changed.count > 0 ? [`${count(changed.count, "entry", "entries")} with another value`] : []),
    ...(renoted.count > 0 ? [`${count(renoted.count, "entry", "entries")} with other notes`] : []),
  ];
}

/** The one line to quote. Holds nothing foreign. */
export function headline({ totals, others, failed, policies }: Report): string {
  const { sets, nodes, started, stopped, deleted, replaced, restored } = totals;
  const parts = [
    ...(deleted > 0 ? [`${count(deleted, "resource")} deleted`] : []),
    ...(replaced > 0 ? [`${count(replaced, "resource")} replaced`] : []),
    ...changeWords({
      in: { count: totals.in, addresses: totals.addressesIn },
      out: { count: totals.out, addresses: totals.addressesOut },
      changed: { count: totals.changed },
      renoted: { count: totals.renoted },
    }),
    ...(started > 0 ? [`${count(started, "signaling")} started`] : []),
    ...(stopped > 0 ? [`${count(stopped, "signaling")} stopped`] : []),
  ];
  const foreign = Object.values(others).reduce((sum, number) => sum + number, 0);
  const where = sets > 0 ? `, in ${count(sets, "set")} on ${count(nodes, "node")}` : "";
  const lost =
    restored > 0 ? `. ${count(restored, "resource restores", "resources restore")} what nodes or receivers lost` : "";
  const rest = foreign > 0 ? `. ${count(foreign, "change")} of other resources` : "";
  const none = restored > 0 ? "No change of the program" : "No changes";
  const what = parts.length > 0 ? `${parts.join(", ")}${where}` : sets > 0 ? `No entry changes${where}` : none;
  return `${failed ? "The preview failed. So far: " : ""}${what}${lost}${rest}.${policyWords(policies)}`;
}

function policyWords(policies: Report["policies"]): string {
  if (policies === undefined) return "";
  const { rules, mandatory, advisory } = policies;
  if (mandatory.length > 0) return ` Policies forbid it: ${count(mandatory.length, "finding")}.`;
  if (advisory.length > 0) return ` Policies warn: ${count(advisory.length, "finding")}.`;
  return ` No finding of ${count(rules, "policy", "policies")}.`;
}

/** Sentences about a set, in addition to its lists. Nothing in them is foreign but the words of `marks`. */
export function remarks({ kept, unproven = 0, unknown, hidden, drift }: SetReport): string[] {
  return [
    ...(kept > 0
      ? [`${count(kept, "entry leaves", "entries leave")} the program and stay at the node (onDestroy).`]
      : []),
    ...(unproven > 0
      ? [
          `${count(unproven, "entry stays", "entries stay")} at a node that leaves the group: it may be the same machine as one that wants the same (packetfilter:distinctNodes).`,
        ]
      : []),
    ...(unknown > 0 ? [`Entries of ${count(unknown, "resource")} are not known before the update.`] : []),
    ...(hidden ? ["A part is secret and not shown: not every change can be seen."] : []),
    ...(drift
      ? [
          `Drift found by the refresh: ${grouped(drift.in)} more, ${grouped(drift.out)} fewer, ${grouped(drift.changed)} with other values.`,
        ]
      : []),
  ];
}

/** The words behind a resource that is deleted or replaced. Holds nothing foreign. */
export function outcomeWords({ operation, type, prefixes, addresses, kept }: WholeChange): string {
  const covered = addressWords(addresses);
  const number = `${type === "CloudSignaling" ? count(prefixes, "prefix", "prefixes") : count(prefixes, "entry", "entries")}${covered === "" ? "" : `, ${covered}`}`;
  const end =
    type === "CloudSignaling"
      ? kept
        ? "goes on running"
        : "stops as far as this resource started it"
      : kept
        ? "stays at the node"
        : "goes";
  return operation === "replace" ? `held ${number}` : `${number}: ${end}`;
}

/** Clauses for signalings that start and stop, without notes; `list` writes prefixes. */
export function signalingWords(
  { started, stopped, left, unknown }: SignalingReport,
  list: (prefixes: readonly string[]) => string,
): string[] {
  return [
    ...(started.length > 0 ? [`starts ${list(started)}`] : []),
    ...(stopped.length > 0 ? [`stops ${list(stopped)}`] : []),
    ...(left.length > 0 ? [`leaves running ${list(left)}`] : []),
    ...(unknown ? ["not all prefixes are known before the update"] : []),
  ];
}

/** Words behind the first `limit` of a list. */
export function andMore(number: number, limit: number): string {
  return number > limit ? ` and ${grouped(number - limit)} more` : "";
}

/** The widest prefixes of a list, by family. */
export function widest({ entries }: EntryList): string[] {
  const four = entries.filter(({ prefix }) => !prefix.includes(":")).slice(0, WIDEST);
  const six = entries.filter(({ prefix }) => prefix.includes(":")).slice(0, WIDEST);
  return [...four, ...six].map(({ prefix }) => prefix);
}

/** Number of sources that each list of a set covers; `undefined` where the node was not asked. */
export function markSentence({ marks, in: coming, out, changed }: SetReport): string | undefined {
  if (!marks || "unasked" in marks) return undefined;
  const parts = [
    ...(coming.count > 0 ? [`${grouped(coming.marked ?? 0)} covered by what comes in`] : []),
    ...(out.count > 0 ? [`${grouped(out.marked ?? 0)} by what goes out`] : []),
    ...(changed.count > 0 ? [`${grouped(changed.marked ?? 0)} by what changes its value`] : []),
  ];
  return `${count(marks.sources, "source is", "sources are")} marked now${parts.length > 0 ? `: ${parts.join(", ")}` : ""}.`;
}
