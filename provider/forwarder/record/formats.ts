import { isIPv6 } from "node:net";
import { visible } from "../../model/foreign-text";
import type { ForwardRecord } from "./record";

/** How a record looks in a sink. */
export const FORMATS = ["plain", "ecs", "otel"] as const;

/** One of {@link FORMATS}. */
export type Format = (typeof FORMATS)[number];

/** A record as JSON members. */
export type Document = Readonly<Record<string, unknown>>;

/** The form that `format` asks for: the record itself, Elastic Common Schema, or OpenTelemetry's semantic conventions. */
export function formatter(format: Format): (record: ForwardRecord) => Document {
  switch (format) {
    case "plain":
      return (record) => ({ ...record });
    case "ecs":
      return ecs;
    case "otel":
      return otel;
  }
}

const TRANSPORTS: Readonly<Record<number, string>> = {
  1: "icmp",
  6: "tcp",
  17: "udp",
  47: "gre",
  50: "esp",
  58: "ipv6-icmp",
  132: "sctp",
};

/** The protocol by name in lower case, and by its number where that is known (IANA). */
function transportOf({ protocol }: Pick<ForwardRecord, "protocol">): { name?: string; number?: number } {
  if (protocol === undefined) return {};
  if (typeof protocol === "number") {
    const name = TRANSPORTS[protocol];
    return { ...(name !== undefined && { name }), number: protocol };
  }
  const name = protocol.toLowerCase();
  const number = Object.entries(TRANSPORTS).find(([, known]) => known === name)?.[0];
  return { name, ...(number !== undefined && { number: Number(number) }) };
}

/** The end at which an address stands: marks by recipient are about destinations, all others about sources. */
function endsOf(record: ForwardRecord): { source?: string; destination?: string } {
  const { type, address } = record;
  const source = record.source ?? (type === "dhost" ? undefined : address);
  const destination = record.destination ?? (type === "dhost" ? address : undefined);
  return { ...(source !== undefined && { source }), ...(destination !== undefined && { destination }) };
}

/** What no schema has a name for, under a name of our own. */
function own(record: ForwardRecord): Document {
  const { arena, profile, type, id, value, lifetime, age, status, epoch, sequence, extra } = record;
  return defined({ arena, profile, type, id, value, lifetime, age, status, epoch, sequence, extra });
}

/** Elastic Common Schema 8: nested members. */
function ecs(record: ForwardRecord): Document {
  const { source, destination } = endsOf(record);
  const transport = transportOf(record);
  const ips = [source, destination].filter((ip) => ip !== undefined);
  return defined({
    "@timestamp": record.timestamp,
    message: record.message,
    ecs: { version: "8.17" },
    event: {
      kind: record.event === "seen" ? "state" : "event",
      category: ["intrusion_detection"],
      type: ["info"],
      action: `mark-${record.event}`,
      id: record.recordId,
      module: "packetfilter",
      dataset: "packetfilter.mark",
    },
    observer: { name: record.node, type: "ddos" },
    source: source === undefined ? undefined : defined({ ip: source, port: record.sourcePort }),
    destination: destination === undefined ? undefined : defined({ ip: destination, port: record.destinationPort }),
    network: orNothing({ transport: transport.name, iana_number: transport.number?.toString() }),
    rule: orNothing({ id: record.rule?.id?.toString(), name: record.rule?.name }),
    related: ips.length > 0 ? { ip: ips } : undefined,
    packetfilter: own(record),
  });
}

/** Attributes by the names of OpenTelemetry's semantic conventions, flat. */
function otel(record: ForwardRecord): Document {
  const attributes = Object.entries(own(record)).map(([name, value]) => [`packetfilter.mark.${name}`, value]);
  return defined({
    timestamp: record.timestamp,
    body: record.message,
    event_name: `packetfilter.mark.${record.event}`,
    "log.record.uid": record.recordId,
    "source.address": endsOf(record).source,
    "source.port": record.sourcePort,
    "destination.address": endsOf(record).destination,
    "destination.port": record.destinationPort,
    "network.transport": transportOf(record).name,
    "security_rule.name": record.rule?.name,
    "security_rule.uuid": record.rule?.id?.toString(),
    "packetfilter.node": record.node,
    ...Object.fromEntries(attributes),
  });
}

function defined(members: Document): Document {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function orNothing(members: Document): Document | undefined {
  const rest = defined(members);
  return Object.keys(rest).length > 0 ? rest : undefined;
}

/** Of the ten severities of CEF, one that wakes no operator. */
const SEVERITY = 3;

/**
 * A record in ArcSight's Common Event Format, version 0. IPv6 addresses stand in `c6a2` (source) and `c6a3` (destination)
 * with their labels, since `src` and `dst` are for IPv4.
 */
export function cef(record: ForwardRecord): string {
  const head = [
    "CEF:0",
    "pulumi-packetfilter",
    "forward",
    "1",
    `mark-${record.event}`,
    `Mark ${record.event}`,
    `${SEVERITY}`,
  ];
  const { source, destination } = endsOf(record);
  const transport = transportOf(record);
  const members: [key: string, value: string | number | undefined][] = [
    ["rt", Date.parse(record.timestamp)],
    ["dvchost", record.node],
    ["act", record.event],
    ["externalId", record.recordId],
    ...addressMembers("src", "c6a2", "Source IPv6 Address", source),
    ...addressMembers("dst", "c6a3", "Destination IPv6 Address", destination),
    ["spt", record.sourcePort],
    ["dpt", record.destinationPort],
    ["proto", transport.name ?? transport.number],
    ...labelled("cs1", "rule", record.rule?.name ?? record.rule?.id),
    ...labelled("cs2", "arena", record.arena),
    ...labelled("cs3", "profile", record.profile),
    ...labelled("cs4", "type", record.type),
    ...labelled("cn1", "value", record.value),
    ...labelled("cn2", "id", record.id),
    ...labelled("cn3", "lifetime", record.lifetime),
    ["msg", record.message],
  ];
  const extension = members.flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${escapeValue(String(value))}`],
  );
  return `${head.map(escapeHead).join("|")}|${extension.join(" ")}`;
}

type Member = [key: string, value: string | number | undefined];

function addressMembers(v4: string, v6: string, label: string, address: string | undefined): Member[] {
  if (address === undefined) return [];
  return isIPv6(address) ? labelled(v6, label, address) : [[v4, address]];
}

function labelled(key: string, label: string, value: string | number | undefined): Member[] {
  return value === undefined
    ? []
    : [
        [`${key}Label`, label],
        [key, value],
      ];
}

function escapeHead(text: string): string {
  return visible(text).replace(/[\\|]/g, "\\$&");
}

function escapeValue(text: string): string {
  const lines = text.split(/\r\n|[\r\n]/).map((line) => visible(line).replace(/[\\=]/g, "\\$&"));
  return lines.join("\\n");
}
