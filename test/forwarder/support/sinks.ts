import { Outgoing } from "../../../provider/forwarder/record/outgoing";
import type { ForwardRecord } from "../../../provider/forwarder/record/record";
import { SINK_KINDS } from "../../../provider/forwarder/sinks/kinds";
import { parcelOf, type Sink, type SinkContext } from "../../../provider/forwarder/sinks/sink";
import { forwarderWorld } from "../../../provider/forwarder/world";

/** Opens a sink by itself, by its type and its own members. */
export async function openSink(type: string, own: object, more: Partial<SinkContext> = {}): Promise<Sink> {
  const kind = SINK_KINDS[type];
  const options: SinkContext["options"] = (schema) => schema.parse(kind?.schema.parse(own));
  const stdout = async (): Promise<void> => {};
  const context = {
    name: type,
    format: "plain",
    folder: ".",
    env: {},
    world: forwarderWorld,
    stdout,
    secretsInUrl: () => [],
    options,
  } as const;
  const sink = await kind?.open({ ...context, ...more });
  if (!sink) throw new TypeError(`There is no sink of type ${type}.`);
  return sink;
}

/** Delivers records to a sink, once. */
export const delivered = async (sink: Sink, records: readonly ForwardRecord[]) =>
  sink.deliver([await parcelOf(sink, Outgoing.of(records))], new AbortController().signal);
