import { useEffect, useState } from "preact/hooks";
import type { TrafficSummary } from "../answers";
import { act } from "./ask";
import { Check, Form, SelectField, TextField, useFields } from "./fields";
import { bytes, listed, number } from "./texts";
import { Button } from "./ui";

const KINDS = [
  ["synFlood", "SYN flood"],
  ["dnsAmplification", "DNS amplification"],
  ["carpetBombing", "carpet bombing"],
  ["background", "usual traffic"],
] as const;

const NOTHING: TrafficSummary = { packets: 0, bytes: 0, accepted: 0, dropped: 0, unbound: 0, evicted: 0, refused: 0 };

const list = (text: string) => text.split(/[\s,]+/).filter(Boolean);

/** Generated traffic, once or second by second. */
export function TrafficForm({ recipient = "198.51.100.0/24", seed }: { recipient?: string; seed: number }) {
  const { values, field } = useFields({ kind: "synFlood", to: recipient, from: "", count: "10000" });
  const [continues, setContinues] = useState(false);
  const [round, setRound] = useState(0);
  const [sum, setSum] = useState(NOTHING);
  const send = async () => {
    const { kind, to, from, count } = values;
    const senders = list(from);
    const body = {
      kind,
      to: list(to),
      ...(senders.length > 0 && { from: senders }),
      count: Number(count),
      // Every round has a seed of its own: the same packets again would make no new marks.
      seed: seed + round,
    };
    setRound(round + 1);
    const summary = await act<TrafficSummary>("", "POST", "/traffic", body);
    if (summary) setSum((before) => add(before, summary));
    else setContinues(false);
  };
  useEffect(() => {
    if (!continues || round === 0) return;
    const timer = setTimeout(() => void send(), 1_000);
    return () => clearTimeout(timer);
  });
  return (
    <>
      <Form submit="Send" onSubmit={() => void send()}>
        <SelectField label="Kind" {...field("kind")} options={KINDS} />
        <TextField label="To prefixes" {...field("to")} required grow />
        <TextField label="From prefixes" {...field("from")} placeholder="documentation prefixes" grow />
        <TextField label="Packets" type="number" {...field("count")} required />
        <Check label="Every second" checked={continues} onChange={setContinues} />
      </Form>
      {sum.packets > 0 && <Sum sum={sum} onClear={() => setSum(NOTHING)} />}
    </>
  );
}

function Sum({ sum, onClear }: { sum: TrafficSummary; onClear: () => void }) {
  const share = (part: number) => `${((100 * part) / sum.packets).toFixed(1)} %`;
  const outcomes = listed(
    sum.accepted > 0 && `${number(sum.accepted)} accepted (${share(sum.accepted)})`,
    sum.dropped > 0 && `${number(sum.dropped)} dropped (${share(sum.dropped)})`,
    sum.unbound > 0 && `${number(sum.unbound)} without a profile`,
    sum.evicted > 0 && `${number(sum.evicted)} marks evicted`,
    sum.refused > 0 && `${number(sum.refused)} marks refused`,
  );
  return (
    <div class="sum" role="status">
      <p>
        <strong>{number(sum.packets)}</strong> packets, {bytes(sum.bytes)}: {outcomes}.{" "}
        <Button text="Clear" onClick={onClear} />
      </p>
      <div class="bar" aria-hidden="true">
        <span class="accepted" style={{ width: share(sum.accepted).replace(" ", "") }} />
        <span class="dropped" style={{ width: share(sum.dropped).replace(" ", "") }} />
      </div>
    </div>
  );
}

function add(a: TrafficSummary, b: TrafficSummary): TrafficSummary {
  const names = Object.keys(a) as (keyof TrafficSummary)[];
  return Object.fromEntries(names.map((name) => [name, a[name] + b[name]])) as Record<keyof TrafficSummary, number>;
}
