import { useState } from "preact/hooks";
import type { Verdict } from "../schemas";
import { call } from "./api";
import { act } from "./ask";
import { Check, Form, SelectField, TextField } from "./fields";

const PROTOCOLS = ["tcp", "udp", "icmp", "icmp6", "gre", "esp", "sctp"] as const;
const FLAGS = ["syn", "ack", "fin", "rst", "psh"] as const;
/** Senders from the documentation prefixes. */
const SENDER = { 4: "203.0.113.9", 6: "2001:db8:bad::9" };

/** A packet by hand. */
export function PacketForm(props: { recipient?: string; onVerdict: (packet: string, verdict: Verdict) => void }) {
  const address = firstHost(props.recipient ?? "198.51.100.0/24");
  const [to, setTo] = useState(address);
  const [from, setFrom] = useState(SENDER[address.includes(":") ? 6 : 4]);
  const [proto, setProto] = useState<(typeof PROTOCOLS)[number]>("tcp");
  const [dport, setDport] = useState("443");
  const [sport, setSport] = useState("");
  const [length, setLength] = useState("");
  const [count, setCount] = useState("");
  const [flags, setFlags] = useState<readonly string[]>(["syn"]);
  const hasPorts = proto === "tcp" || proto === "udp" || proto === "sctp";
  const packet = {
    from: from.trim(),
    to: to.trim(),
    proto,
    ...(hasPorts && dport && { dport: Number(dport) }),
    ...(hasPorts && sport && { sport: Number(sport) }),
    ...(proto === "tcp" && flags.length > 0 && { flags }),
    ...(length && { length: Number(length) }),
    ...(count && { count: Number(count) }),
  };
  const send = () =>
    act("", async () => {
      const [verdict] = await call<Verdict[]>("POST", "/packets", [packet]);
      if (verdict) props.onVerdict(packetText(packet), verdict);
    });
  return (
    <Form submit="Send" onSubmit={() => void send()}>
      <TextField label="From" value={from} onChange={setFrom} required grow />
      <TextField label="To" value={to} onChange={setTo} required grow />
      <SelectField label="Protocol" value={proto} options={PROTOCOLS} onChange={setProto} />
      {hasPorts && <TextField label="Port" type="number" value={dport} onChange={setDport} />}
      {hasPorts && <TextField label="Source port" type="number" value={sport} onChange={setSport} placeholder="0" />}
      <TextField label="Bytes" type="number" value={length} onChange={setLength} placeholder="64" />
      <TextField label="How many" type="number" value={count} onChange={setCount} placeholder="1" />
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

function packetText(packet: {
  from: string;
  to: string;
  proto: string;
  dport?: number;
  flags?: readonly string[];
  count?: number;
}) {
  const { from, to, proto, dport, flags = [], count } = packet;
  const port = dport === undefined ? "" : ` port ${dport}`;
  return `${from} → ${to} ${[proto, ...flags].join(" ")}${port}${count === undefined ? "" : ` × ${count}`}`;
}
