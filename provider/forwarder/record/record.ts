import { visible } from "../../model/foreign-text";
import type { MarkType } from "../../model/mark";
import type { Batch } from "../ledger/protocol";
import { EVENTS, type MarkEvent, membersOf, type NamedRule } from "./rows";

/**
 * What the forwarder reports of one mark, as `format: plain` writes it. Members that the node did not send are absent.
 * `epoch` and `sequence` order the records of a table, by epoch first, whichever forwarder read them.
 */
export interface ForwardRecord {
  /** When the list was obtained: ISO 8601, UTC. */
  readonly timestamp: string;
  /** Name of the node in the configuration. */
  readonly node: string;
  /** Arena of the table. */
  readonly arena: string;
  /** Profile of the table. */
  readonly profile: string;
  /** Which of the profile's tables it is. */
  readonly type: MarkType;
  /** What happened to the mark. */
  readonly event: MarkEvent;
  /** Address of a table by source or by recipient. */
  readonly address?: string;
  /** Source address, in tables that have one. */
  readonly source?: string;
  /** Destination address, in tables that have one. */
  readonly destination?: string;
  /** Source port, in tables of connections. */
  readonly sourcePort?: number;
  /** Destination port, in tables of connections. */
  readonly destinationPort?: number;
  /** L4 protocol, as the node writes it. */
  readonly protocol?: string | number;
  /** A text where the node's integer is beyond ±(2⁵³−1). */
  readonly id?: number | string;
  /** A counter that rules drive; a text as `id`. */
  readonly value?: number | string;
  /** Seconds. */
  readonly lifetime?: number;
  /** Seconds. */
  readonly age?: number;
  /** For example `active` or `expired`. */
  readonly status?: string;
  /** The rule that the mark comes from, where it is known. */
  readonly rule?: NamedRule;
  /** Grows when a table's history begins anew; orders before `sequence`. */
  readonly epoch: number;
  /** Grows by each record of a table within an epoch. */
  readonly sequence: number;
  /** At most 40 characters: the same whenever this observation is delivered, and another one for every other. */
  readonly recordId: string;
  /** One readable line. */
  readonly message: string;
  /** Members that the node sends beside those that are known. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** Reads a batch of the spool. The text is our own, written by the ledger. */
export function readBatch(text: string): ForwardRecord[] {
  const { head, rows }: Batch = JSON.parse(text);
  const { node, arena, profile, type, at, epoch, first, id: table, rules } = head;
  const timestamp = new Date(at).toISOString();
  const idStart = `${table}-${epoch.toString(36)}-`;
  return rows.map(([number, key, id, value, lifetime, place, details], index): ForwardRecord => {
    const event = EVENTS[number] ?? "seen";
    const rule = typeof place === "number" ? rules[place] : undefined;
    const sequence = first + index;
    const { age, status, exact, extra } = details ?? {};
    const record = {
      timestamp,
      node,
      arena,
      profile,
      type,
      event,
      ...membersOf(key),
      ...(typeof id === "number" && { id: exact?.id ?? id }),
      ...(typeof value === "number" && { value: exact?.value ?? value }),
      ...(typeof lifetime === "number" && { lifetime }),
      ...(age !== undefined && { age }),
      ...(status !== undefined && { status }),
      ...(rule && { rule }),
      epoch,
      sequence,
      recordId: `${idStart}${sequence.toString(36)}`,
    };
    return { ...record, message: visible(messageOf(record)), ...(extra && { extra }) };
  });
}

/** The line that people read: `fra1 edge/web shost 203.0.113.45 added: id 70001 (syn-flood), value 12, lifetime 3600 s`. */
function messageOf(record: Omit<ForwardRecord, "message">): string {
  const { node, arena, profile, type, event, id, value, lifetime, rule } = record;
  const table = `${node} ${arena}/${profile} ${type}`;
  if (event === "reset") return `${table} reset: what follows is the whole table`;
  const named = rule?.name === undefined ? "" : ` (${rule.name})`;
  const facts = [
    id === undefined ? undefined : `id ${id}${named}`,
    value === undefined ? undefined : `value ${value}${id === undefined ? named : ""}`,
    lifetime === undefined ? undefined : `lifetime ${lifetime} s`,
  ].filter((fact) => fact !== undefined);
  return `${table} ${subjectOf(record)} ${event}${facts.length > 0 ? `: ${facts.join(", ")}` : ""}`;
}

/** What is marked, as people write it: an address, or source and destination with what is known beside them. */
function subjectOf(
  record: Pick<ForwardRecord, "address" | "source" | "destination" | "sourcePort" | "destinationPort" | "protocol">,
): string {
  const { address, source, destination, sourcePort, destinationPort, protocol } = record;
  if (source === undefined && destination === undefined) return address ?? "-";
  const end = (host: string | undefined, port: number | undefined) => {
    if (host === undefined) return "-";
    return port === undefined ? host : host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  };
  const pair = `${end(source, sourcePort)} -> ${end(destination, destinationPort)}`;
  return protocol === undefined ? pair : `${protocol} ${pair}`;
}
