import { isIPv6 } from "node:net";
import { visible } from "../../model/foreign-text";
import type { ForwardRecord } from "./record";

/** Formats of a record in a sink. */
export const FORMATS = ["plain", "ecs", "otel"] as const;

/** One of {@link FORMATS}. */
export type Format = (typeof FORMATS)[number];

/** A record as members of JSON, which those that are undefined are not. */
export type Document = Readonly<Record<string, unknown>>;

/** The form that `format` asks for: the record itself, Elastic Common Schema, or OpenTelemetry's semantic conventions. */
export function formatter(format: Format): (record: ForwardRecord) => Document {
  return { plain: (record: ForwardRecord) => ({ ...record }), ecs, otel }[format];
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
function transportOf({ protocol }: Pick<ForwardRecord, "protocol">) {
  if (typeof protocol === "number") return { name: TRANSPORTS[protocol], number: protocol };
  const name = protocol?.toLowerCase();
  return { name, number: Object.keys(TRANSPORTS).find((number) => TRANSPORTS[Number(number)] === name) };
}

/** The role of an address: in marks by recipient it is the destination, in all others the source. */
function endsOf({ type, address, source, destination }: ForwardRecord) {
  const isDestination = type === "dhost";
  return {
    source: source ?? (isDestination ? undefined : address),
    destination: destination ?? (isDestination ? address : undefined),
  };
}

/** Members without a name in any schema, under a name of our own. */
function own(record: ForwardRecord): Document {
  const { arena, profile, type, resent, id, value, lifetime, age, status, epoch, sequence, extra } = record;
  return { arena, profile, type, resent, id, value, lifetime, age, status, epoch, sequence, extra };
}

/** Elastic Common Schema 8: nested members. */
function ecs(record: ForwardRecord): Document {
  const { source, destination } = endsOf(record);
  const { name, number } = transportOf(record);
  const ips = [source, destination].filter((ip) => ip !== undefined);
  return {
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
    source: source === undefined ? undefined : { ip: source, port: record.sourcePort },
    destination: destination === undefined ? undefined : { ip: destination, port: record.destinationPort },
    network: record.protocol === undefined ? undefined : { transport: name, iana_number: number?.toString() },
    rule: record.rule && { id: record.rule.id?.toString(), name: record.rule.name },
    related: ips.length > 0 ? { ip: ips } : undefined,
    packetfilter: own(record),
  };
}

/** Attributes by the names of OpenTelemetry's semantic conventions, flat. */
function otel(record: ForwardRecord): Document {
  const attributes = Object.entries(own(record)).map(([name, value]) => [`packetfilter.mark.${name}`, value]);
  return {
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
  };
}

/** Of the ten severities of CEF, one that wakes no operator. */
const SEVERITY = 3;

/**
 * A record in ArcSight's Common Event Format, version 0. IPv6 addresses are in `c6a2` (source) and `c6a3` (destination) with
 * their labels, since `src` and `dst` are for IPv4.
 */
export function cef(record: ForwardRecord): string {
  const { event } = record;
  const { source, destination } = endsOf(record);
  const transport = transportOf(record);
  const members: [key: string, value: string | number | undefined, label?: string][] = [
    ["rt", Date.parse(record.timestamp)],
    ["dvchost", record.node],
    ["act", event],
    ["externalId", record.recordId],
    isIPv6(source ?? "") ? ["c6a2", source, "Source IPv6 Address"] : ["src", source],
    isIPv6(destination ?? "") ? ["c6a3", destination, "Destination IPv6 Address"] : ["dst", destination],
    ["spt", record.sourcePort],
    ["dpt", record.destinationPort],
    ["proto", transport.name ?? transport.number],
    ["cs1", record.rule?.name ?? record.rule?.id, "rule"],
    ["cs2", record.arena, "arena"],
    ["cs3", record.profile, "profile"],
    ["cs4", record.type, "type"],
    ["cs5", record.resent && "true", "resent"],
    ["cn1", record.value, "value"],
    ["cn2", record.id, "id"],
    ["cn3", record.lifetime, "lifetime"],
    ["msg", record.message],
  ];
  const extension = members.flatMap(([key, value, label]) => {
    if (value === undefined) return [];
    return [...(label === undefined ? [] : [`${key}Label=${label}`]), `${key}=${escapeValue(String(value))}`];
  });
  return `CEF:0|pulumi-packetfilter|forward|1|mark-${event}|Mark ${event}|${SEVERITY}|${extension.join(" ")}`;
}

function escapeValue(text: string): string {
  const lines = text.split(/\r\n|[\r\n]/).map((line) => visible(line).replace(/[\\=]/g, "\\$&"));
  return lines.join("\\n");
}
