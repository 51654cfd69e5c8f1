import { z } from "zod";
import { OptionsError } from "../../client";
import type { LiveConfig } from "../config/config";
import { CONFIG_DEFAULTS, SINK_DEFAULTS, SIZES } from "../defaults";
import type { SinkSpec } from "../ledger/protocol";
import { CALLBACK, callback, type OnRecord } from "../sinks/callback";
import { SINK_KINDS } from "../sinks/kinds";
import type { BatchLimits, Sink, SinkContext } from "../sinks/sink";
import type { Log } from "../telling/troubles";
import type { ForwarderWorld } from "../world";

export interface SinkParts {
  readonly config: LiveConfig;
  readonly world: ForwarderWorld;
  readonly log?: Log;
  /** One more sink, for programs. */
  readonly onRecord?: OnRecord;
  /** Standard output, for sinks of that type; rejects with `EPIPE` once it has no reader any more. */
  stdout(text: string): Promise<void>;
}

/**
 * Opens the sinks of a configuration: all, or those that are named.
 *
 * @throws {OptionsError} when there is none, or when a package is missing.
 */
export async function openSinks(parts: SinkParts, names?: ReadonlySet<string>): Promise<[name: string, Sink][]> {
  const { sinks } = parts.config.current;
  if (sinks.length === 0 && !parts.onRecord) {
    throw new OptionsError("`sinks` names none, so that records would go nowhere.");
  }
  const opened: [string, Sink][] = [];
  for (const { name, type } of sinks) {
    const kind = SINK_KINDS[type];
    if (kind && (names?.has(name) ?? true)) opened.push([name, await kind.open(contextOf(parts, name))]);
  }
  return parts.onRecord && !names ? [...opened, [CALLBACK, callback(parts.onRecord)]] : opened;
}

/** The sinks as the ledger knows them: what they take, and their limits, each with the defaults of all. */
export function specsOf({ config, onRecord }: Pick<SinkParts, "config" | "onRecord">): SinkSpec[] {
  const named = [...config.current.sinks, ...(onRecord ? [{ name: CALLBACK, only: undefined }] : [])];
  return named.map(({ name, only }) => ({ name, limits: spoolLimits(config, name), ...(only && { only }) }));
}

export function spoolLimits({ current: { spool, sinks } }: LiveConfig, sink: string): SinkSpec["limits"] {
  return { ...CONFIG_DEFAULTS.spool, ...spool, ...sinks.find(({ name }) => name === sink)?.spool };
}

export function batchOf({ current }: LiveConfig, name: string): BatchLimits {
  const sink = current.sinks.find((one) => one.name === name);
  return sink?.batch ?? { ...SINK_DEFAULTS.batch, maxRecords: SIZES.callbackRecords };
}

const withDeadline = z.object({ deadlineMs: z.number() });

/** Milliseconds after which one delivery to a sink is stuck: its `deadlineMs`, where its kind has one, and the waits of its kind. */
export function deadlineOf({ current }: LiveConfig, name: string): number {
  const { type = CALLBACK, own } = current.sinks.find((one) => one.name === name) ?? {};
  const { deadlineMs } = withDeadline.safeParse(own).data ?? SINK_DEFAULTS;
  return deadlineMs + (SINK_KINDS[type]?.waitMs?.(own) ?? 0);
}

/** Context of a sink; its options are read at each use, since secrets from files change. */
function contextOf({ config, world, log, stdout }: Omit<SinkParts, "onRecord">, name: string): SinkContext {
  return {
    name,
    format: config.current.format,
    folder: config.folder,
    env: config.env,
    world,
    ...(log && { log }),
    stdout,
    secretsInUrl: () => config.secretsInUrl(name),
    options: (schema) => schema.parse(config.current.sinks.find((sink) => sink.name === name)?.own),
  };
}
