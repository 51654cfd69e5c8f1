import { OptionsError } from "../client";
import { messageOf } from "../model/errors";
import type { LiveConfig } from "./config/config";
import { RejectedFiles, rejectedFolder } from "./delivery/rejected";
import { batchOf, openSinks, type SinkParts } from "./delivery/sinks";
import { Outgoing } from "./record/outgoing";
import { parcelsOf, type Rejected, SinkFailure } from "./sinks/sink";

/**
 * Sends the dead letters of sinks once more, with the ids of their records. Those refused again stay. May run beside a
 * forwarder, whose own new dead letters wait for the next call.
 *
 * @param only Of this sink; default: of all sinks of the configuration.
 * @returns how many records were delivered, how many are left, and why those of a sink that does not answer are.
 * @throws {OptionsError} when there is no such sink.
 */
export async function requeueRejected(
  config: LiveConfig,
  parts: Pick<SinkParts, "world" | "stdout"> & { readonly signal: AbortSignal; readonly state?: string },
  only?: string,
): Promise<{ delivered: number; left: number; failures: string[] }> {
  const names = config.current.sinks.map(({ name }) => name);
  if (only !== undefined && !names.includes(only)) {
    throw new OptionsError(`There is no sink "${only}" in the configuration: there are ${names.join(", ") || "none"}.`);
  }
  const sum = { delivered: 0, left: 0, failures: [] as string[] };
  for (const name of only === undefined ? names : [only]) {
    const files = new RejectedFiles(rejectedFolder(parts.state ?? config.stateFolder, name), parts.world.wall);
    const { records } = await files.waiting();
    if (records === 0) continue;
    try {
      const { delivered, kept } = await requeued(config, name, files, parts);
      sum.delivered += delivered;
      sum.left += kept;
    } catch (error) {
      if (!(error instanceof SinkFailure)) throw error;
      sum.left += (await files.waiting()).records;
      sum.failures.push(`Sink "${name}" accepts no records: ${messageOf(error)}.`);
    }
  }
  return sum;
}

async function requeued(
  config: LiveConfig,
  name: string,
  files: RejectedFiles,
  parts: Parameters<typeof requeueRejected>[1],
) {
  const [[, sink] = []] = await openSinks({ config, ...parts }, new Set([name]));
  if (!sink) throw new TypeError(`There is no sink ${name}.`);
  try {
    return await files.requeue(async (records) => {
      const rejected: Rejected[] = [];
      for (const parcel of await parcelsOf(sink, Outgoing.of(records), batchOf(config, name))) {
        const answer = await sink.deliver([parcel], parts.signal);
        rejected.push(...(answer.rejected ?? []));
        // Records to be sent again are not repeated here: they stay, with the sink's reason.
        for (const record of answer.again ?? []) rejected.push({ record, reason: answer.reason ?? "not taken" });
      }
      return rejected;
    });
  } finally {
    await sink.close();
  }
}
