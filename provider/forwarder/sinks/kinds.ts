import { z } from "zod";
import { plainWords, text } from "../fields";
import { elasticsearch } from "./elasticsearch";
import { file } from "./file";
import { http } from "./http";
import { kafka } from "./kafka";
import { loki } from "./loki";
import { nats } from "./nats";
import { otlp } from "./otlp";
import { commonFields, type SinkKind } from "./sink";
import { splunk } from "./splunk";
import { stdout } from "./stdout";
import { syslog } from "./syslog";

/**
 * Every kind of sink by its `type`. To add one: a file beside this one, and its line here. What a kind needs beyond Node it
 * loads when a sink is opened, never here.
 */
export const SINK_KINDS: Readonly<Record<string, SinkKind>> = {
  stdout,
  file,
  http,
  elasticsearch,
  otlp,
  splunk,
  loki,
  syslog,
  nats,
  kafka,
};

const httpUrlIn = z.looseObject({ url: z.string(), tls: z.looseObject({}) });

const base = z.looseObject({ name: z.unknown().optional(), type: z.unknown().optional() });

/** Leaves the members out that are the kind's own. */
const commonSchema = z.object(commonFields);

/** Checks a sink, its kind first, then each member: what all have, and as `own` what its kind has, checked by it. */
export const sinkSchema = z.unknown().transform((value, context) => {
  const read = base.safeParse(value);
  const type = text.safeParse(read.data?.type);
  const kind = type.success && Object.hasOwn(SINK_KINDS, type.data) ? SINK_KINDS[type.data] : undefined;
  if (!read.success || !type.success || !kind) {
    const problem = read.success ? `must be one of ${Object.keys(SINK_KINDS).join(", ")}` : "must be an object";
    context.addIssue({ code: "custom", path: read.success ? ["type"] : [], message: problem, input: "" });
    return z.NEVER;
  }
  const isOwn = ([name]: readonly [string, unknown]) => !(name in commonFields) && name !== "type";
  const rest = Object.fromEntries(Object.entries(read.data).filter(isOwn));
  const shared = commonSchema.safeParse(read.data, { error: plainWords });
  const own = kind.schema.safeParse(rest, { error: plainWords });
  for (const { path, message, ...issue } of [...(shared.error?.issues ?? []), ...(own.error?.issues ?? [])]) {
    const { keys } = "keys" in issue ? issue : { keys: undefined };
    context.addIssue({ code: "custom", path: [...path], message, input: "", params: { keys } });
  }
  const url = httpUrlIn.safeParse(rest);
  if (url.success && /^http:/i.test(url.data.url)) {
    context.addIssue({ code: "custom", path: ["tls"], message: "is for a url that begins with https://", input: "" });
  }
  if (!shared.success || !own.success) return z.NEVER;
  return { ...shared.data, type: type.data, own: own.data };
});
