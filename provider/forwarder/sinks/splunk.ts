import { randomUUID } from "node:crypto";
import { z } from "zod";
import { pause } from "../../client/clock";
import { attempt, messageOf } from "../../model/errors";
import { SINK_DEFAULTS, TIMES } from "../defaults";
import { bearer, flag, members, text } from "../fields";
import { formatter } from "../record/formats";
import { written } from "../slices";
import type { ForwarderWorld } from "../world";
import type { SinkAnswer } from "./answers";
import { below, httpFields, postingKind } from "./http-post";
import { SinkFailure } from "./sink";

const schema = members({
  ...httpFields,
  token: bearer,
  index: text.optional(),
  sourcetype: text.default(SINK_DEFAULTS.splunkSourcetype),
  indexerAcknowledgement: flag.default(false),
});

/**
 * Codes of the collector that are about the token, the index or the channel, with HTTP 400 or 403: no record is at fault, and a change of the
 * configuration on either side makes them go (Splunk Docs, "Troubleshoot HTTP Event Collector", possible error codes).
 */
const ABOUT_CONFIGURATION: readonly number[] = [1, 2, 3, 4, 7, 10, 11];

const PATH = "/services/collector/event";

const answerSchema = z.looseObject({
  code: z.int(),
  ackId: z.int().optional(),
  /** The place of the first event that it did not take: those before it are taken. */
  "invalid-event-number": z.int().min(0).optional().catch(undefined),
});
const acksSchema = z.looseObject({ acks: z.record(z.string(), z.boolean()) });

/**
 * Splunk's HTTP Event Collector: `services/collector/event` below `url`, an event a record, with the node as `host`. Code 0
 * acknowledges; with `indexerAcknowledgement` the indexers do, which are asked for it.
 */
export const splunk = postingKind(
  schema,
  () => PATH,
  async (context, { index, sourcetype, indexerAcknowledgement }) => {
    const document = formatter(context.format);
    // Tokens with indexer acknowledgement want one: its ids are of the channel.
    const channel = randomUUID();
    return {
      contentType: "application/json",
      answers: {
        acknowledgement: 'the `"code":0` of a collector',
        async acknowledged(_, answer, signal) {
          const { code, ackId } = readIn(answer) ?? {};
          if (code !== 0) return undefined;
          if (indexerAcknowledgement) await indexed(ackId, answer, context.world, signal);
          return {};
        },
        // Those before it have no indexer acknowledgement.
        takenBefore: (answer) => (indexerAcknowledgement ? undefined : readIn(answer)?.["invalid-event-number"]),
        isPassing: (answer) => ABOUT_CONFIGURATION.includes(readIn(answer)?.code ?? 0),
      },
      headers: () => ({
        authorization: `Splunk ${context.options(schema).token}`,
        "x-splunk-request-channel": channel,
      }),
      // Events follow each other.
      async body(records) {
        const lines = await written(await records.records(), (record) => {
          const time = Date.parse(record.timestamp) / 1_000;
          const own = { time, host: record.node, source: SOURCE, sourcetype, index, event: document(record) };
          return `${JSON.stringify(own)}\n`;
        });
        return Buffer.from(lines);
      },
    };
  },
  { waitMs: ({ indexerAcknowledgement }) => (indexerAcknowledgement ? TIMES.splunkAckMs : 0) },
);

const SOURCE = "pulumi-packetfilter";

function readIn({ body }: SinkAnswer) {
  return attempt(() => answerSchema.parse(JSON.parse(body.toString("utf8"))));
}

/** Waits until the indexers have the events of an `ackId`. @throws {SinkFailure} when they do not acknowledge in time. */
async function indexed(ackId: number | undefined, answer: SinkAnswer, world: ForwarderWorld, signal: AbortSignal) {
  const { where } = answer;
  if (ackId === undefined) {
    const remedy = "turn it on for the token in Splunk, or remove `indexerAcknowledgement`";
    throw new SinkFailure(
      `${where}: the answer has no \`ackId\`, so that there is no indexer acknowledgement: ${remedy}`,
    );
  }
  const end = world.monotonic() + TIMES.splunkAckMs;
  let last = "the indexers have not acknowledged";
  while (world.monotonic() < end && !signal.aborted) {
    await pause(world, TIMES.splunkAckEveryMs, signal);
    try {
      const reply = await answer.ask((url) => new URL("ack", below(url, PATH)), JSON.stringify({ acks: [ackId] }));
      const { acks } = attempt(() => acksSchema.parse(JSON.parse(reply.body.toString("utf8")))) ?? {};
      if (acks?.[ackId] === true) return;
      if (acks === undefined) last = `HTTP ${reply.status}: ${reply.sanitize(reply.body.toString("utf8"))}`;
    } catch (error) {
      last = messageOf(error);
    }
  }
  throw new SinkFailure(`${where}: no indexer acknowledgement within ${TIMES.splunkAckMs} ms: ${last}`);
}
