import { isIPv6 } from "node:net";
import { visible } from "../../model/foreign-text";
import { endsOf, transportOf } from "./formats";
import type { ForwardRecord } from "./record";

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
