import { useState } from "preact/hooks";
import type { Packet, Verdict } from "../answers";
import { act } from "./ask";
import { Check, Form, SelectField, TextField, useFields, useFind } from "./fields";
import type { ViewProps } from "./store";
import { Table } from "./table";
import { TrafficForm } from "./traffic-form";
import { Badge, Panel, ProfileLink } from "./ui";

interface Sent {
  readonly id: number;
  readonly packet: string;
  readonly verdict: Verdict;
}

const KEPT = 50;

/** Packets to send, one by one or as generated traffic. */
export function PacketsView({ overview }: ViewProps) {
  const [sent, setSent] = useState<readonly Sent[]>([]);
  const [first] = overview.arenas.flatMap(({ profiles }) => profiles.flatMap((profile) => profile.bound));
  const add = (packet: string, verdict: Verdict) =>
    setSent((before) => [{ id: (before[0]?.id ?? 0) + 1, packet, verdict }, ...before].slice(0, KEPT));
  return (
    <>
      <Panel title="A packet" hint="The longest bound prefix of its destination decides whose rules it meets.">
        <PacketForm recipient={first?.prefix} onVerdict={add} />
        <Verdicts sent={sent} />
      </Panel>
      <Panel title="Traffic" hint="Generated from a seed: the same seed gives the same packets.">
        <TrafficForm recipient={first?.prefix} seed={overview.seed} />
      </Panel>
    </>
  );
}

function Verdicts({ sent }: { sent: readonly Sent[] }) {
  const { found, field } = useFind(
    { name: "find", what: "a packet", placeholder: "address, verdict, profile or rule" },
    sent,
    ({ packet, verdict: { verdict, profile, rule } }) => [packet, verdict, profile, rule?.id, rule?.name].join(" "),
  );
  if (sent.length === 0) return null;
  return (
    <>
      {field}
      <Table
        caption="Packets that were sent, the last one first"
        items={found}
        keyOf={({ id }) => id}
        columns={[
          ["Packet", ({ packet }) => <code>{packet}</code>, "row"],
          [
            "Verdict",
            ({ verdict: { verdict } }) => <Badge tone={verdict === "drop" ? "bad" : "good"}>{verdict}</Badge>,
          ],
          ["Profile", ({ verdict: { profile } }) => (profile ? <ProfileLink url={profile} /> : "none: not bound")],
          ["Rule", ({ verdict: { rule } }) => (rule === undefined ? "none" : `${rule.id ?? ""} ${rule.name ?? ""}`)],
          ["Marks touched", ({ verdict: { marks } }) => marks.map(touched).join(", ") || "none"],
        ]}
      />
    </>
  );
}

const touched = ({ type, id, value }: Verdict["marks"][number]) => `${type} ${id} = ${value}`;

const PROTOCOLS = ["tcp", "udp", "icmp", "icmp6", "gre", "esp", "sctp"] as const;
const FLAGS = ["syn", "ack", "fin", "rst", "psh"] as const;
/** Senders from the documentation prefixes. */
const SENDER = { 4: "203.0.113.9", 6: "2001:db8:bad::9" };

function PacketForm(props: { recipient?: string; onVerdict: (packet: string, verdict: Verdict) => void }) {
  const to = firstHost(props.recipient ?? "198.51.100.0/24");
  const from = SENDER[to.includes(":") ? 6 : 4];
  const { values, field } = useFields({ from, to, proto: "tcp", dport: "443", sport: "", length: "", count: "" });
  const [flags, setFlags] = useState<readonly (typeof FLAGS)[number][]>(["syn"]);
  const proto = values.proto as (typeof PROTOCOLS)[number];
  const hasPorts = proto === "tcp" || proto === "udp" || proto === "sctp";
  const number = (name: keyof typeof values) => values[name] !== "" && { [name]: Number(values[name]) };
  const packet: Packet = {
    from: values.from.trim(),
    to: values.to.trim(),
    proto,
    ...(hasPorts && { ...number("dport"), ...number("sport") }),
    ...(proto === "tcp" && flags.length > 0 && { flags }),
    ...number("length"),
    ...number("count"),
  };
  const send = async () => {
    const [verdict] = (await act<Verdict[]>("", "POST", "/packets", [packet])) ?? [];
    if (verdict) props.onVerdict(packetText(packet), verdict);
  };
  return (
    <Form submit="Send" onSubmit={() => void send()}>
      <TextField label="From" {...field("from")} required grow />
      <TextField label="To" {...field("to")} required grow />
      <SelectField label="Protocol" {...field("proto")} options={PROTOCOLS} />
      {hasPorts && <TextField label="Port" type="number" {...field("dport")} />}
      {hasPorts && <TextField label="Source port" type="number" {...field("sport")} placeholder="0" />}
      <TextField label="Bytes" type="number" {...field("length")} placeholder="64" />
      <TextField label="How many" type="number" {...field("count")} placeholder="1" />
      {proto === "tcp" && (
        <fieldset class="flags">
          <legend>Flags</legend>
          {FLAGS.map((flag) => (
            <Check
              key={flag}
              label={flag}
              checked={flags.includes(flag)}
              onChange={(on) => setFlags(on ? [...flags, flag] : flags.filter((other) => other !== flag))}
            />
          ))}
        </fieldset>
      )}
    </Form>
  );
}

/** An address inside a prefix: good enough to begin with, the person may change it. */
function firstHost(prefix: string): string {
  const [network = "", length = ""] = prefix.split("/");
  if (network.includes(":")) return length === "128" ? network : network.replace(/::$/, "::7");
  const [a, b, c, d] = network.split(".").map(Number);
  return length === "32" ? network : [a, b, c, (d ?? 0) + (Number(length) <= 28 ? 7 : 1)].join(".");
}

function packetText({ from, to, proto, dport, flags = [], count }: Packet): string {
  const port = dport === undefined ? "" : ` port ${dport}`;
  return `${from} → ${to} ${[proto, ...flags].join(" ")}${port}${count === undefined ? "" : ` × ${count}`}`;
}
