import { useState } from "preact/hooks";
import type { Overview, Verdict } from "../schemas";
import { PacketForm } from "./packet-form";
import { shortUrl } from "./texts";
import { TrafficForm } from "./traffic-form";
import { Badge, Panel, Table } from "./ui";

/** A packet that was sent, and what became of it. */
export interface Sent {
  readonly id: number;
  readonly packet: string;
  readonly verdict: Verdict;
}

const KEPT = 50;

/** Packets to send, one by one or as generated traffic. */
export function PacketsView({ overview }: { overview: Overview }) {
  const [sent, setSent] = useState<readonly Sent[]>([]);
  const bound = overview.arenas.flatMap(({ profiles }) => profiles.flatMap((profile) => profile.bound));
  const recipients = [...new Set(bound.map(({ prefix }) => prefix))];
  const add = (packet: string, verdict: Verdict) =>
    setSent((before) => [{ id: (before[0]?.id ?? 0) + 1, packet, verdict }, ...before].slice(0, KEPT));
  return (
    <>
      <Panel title="A packet" hint="The longest bound prefix of its destination decides whose rules it meets.">
        <PacketForm recipient={recipients[0]} onVerdict={add} />
        <Verdicts sent={sent} />
      </Panel>
      <Panel title="Traffic" hint="Generated from a seed: the same seed gives the same packets.">
        <TrafficForm recipients={recipients} seed={overview.seed} />
      </Panel>
    </>
  );
}

function Verdicts({ sent }: { sent: readonly Sent[] }) {
  if (sent.length === 0) return null;
  return (
    <Table
      caption="Packets that were sent, the last one first"
      columns={["Packet", "Verdict", "Profile", "Rule", "Marks touched"]}
    >
      {sent.map(({ id, packet, verdict: { verdict, profile, rule, marks } }) => (
        <tr key={id}>
          <th scope="row">
            <code>{packet}</code>
          </th>
          <td>
            <Badge tone={verdict === "drop" ? "bad" : "good"}>{verdict}</Badge>
          </td>
          <td>{profile === undefined ? "none: not bound" : <code>{shortUrl(profile)}</code>}</td>
          <td>{rule === undefined ? "none" : `${rule.id ?? ""} ${rule.name ?? ""}`}</td>
          <td>{marks.map(({ type, id, value }) => `${type} ${id} = ${value}`).join(", ") || "none"}</td>
        </tr>
      ))}
    </Table>
  );
}
