import { useState } from "preact/hooks";
import type { Overview, Verdict } from "../schemas";
import { PacketForm } from "./packet-form";
import { ProfileLink } from "./profile-link";
import { Table } from "./table";
import { TrafficForm } from "./traffic-form";
import { Badge, Panel } from "./ui";

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
      items={sent}
      keyOf={({ id }) => id}
      columns={[
        ["Packet", ({ packet }) => <code>{packet}</code>, "row"],
        ["Verdict", ({ verdict: { verdict } }) => <Badge tone={verdict === "drop" ? "bad" : "good"}>{verdict}</Badge>],
        ["Profile", ({ verdict: { profile } }) => (profile ? <ProfileLink url={profile} /> : "none: not bound")],
        ["Rule", ({ verdict: { rule } }) => (rule === undefined ? "none" : `${rule.id ?? ""} ${rule.name ?? ""}`)],
        ["Marks touched", ({ verdict: { marks } }) => marks.map(touched).join(", ") || "none"],
      ]}
    />
  );
}

const touched = ({ type, id, value }: Verdict["marks"][number]) => `${type} ${id} = ${value}`;
