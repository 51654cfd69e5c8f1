import { OptionsError } from "../client";
import type { LiveConfig } from "./config/config";
import { RejectedFiles, rejectedFolder } from "./delivery/rejected";
import { Outgoing } from "./record/outgoing";
import { SINK_KINDS } from "./sinks/kinds";
import { batchOf, contextOf } from "./sinks/open";
import { parcelsOf, type Rejected } from "./sinks/sink";
import type { ForwarderWorld } from "./world";

/**
 * Sends what a sink refused for good once more, with the ids that the records had. What it refuses again stays kept. May run
 * beside a forwarder: what that one is refused meanwhile is kept for the next replay.
 *
 * @throws {OptionsError} when there is no such sink. @throws {SinkFailure} when the sink does not answer.
 */
export async function replayRejected(
  config: LiveConfig,
  name: string,
  parts: { readonly world: ForwarderWorld; stdout(text: string): Promise<void>; readonly signal: AbortSignal },
): Promise<{ delivered: number; kept: number }> {
  const spec = config.current.sinks.find((sink) => sink.name === name);
  const kind = spec && SINK_KINDS[spec.type];
  if (!kind) {
    const sinkNames = config.current.sinks.map((sink) => sink.name).join(", ");
    throw new OptionsError(`There is no sink "${name}" in the configuration: there are ${sinkNames || "none"}.`);
  }
  const sink = await kind.open(contextOf({ config, ...parts }, name));
  const files = new RejectedFiles(rejectedFolder(config.stateFolder, name), () => parts.world.wall());
  try {
    return await files.replay(async (records) => {
      const rejected: Rejected[] = [];
      for (const parcel of await parcelsOf(sink, Outgoing.of(records), batchOf(config, name))) {
        const answer = await sink.deliver([parcel], parts.signal);
        rejected.push(...(answer.rejected ?? []));
        // What is to come again later is not delivered now: it stays with the sink's reason.
        for (const record of answer.again ?? []) rejected.push({ record, reason: answer.reason ?? "not taken" });
      }
      return rejected;
    });
  } finally {
    await sink.close();
  }
}
