import { z } from "zod";
import { attempt } from "../../model/errors";
import { members } from "../fields";
import { type Document, formatter } from "../record/formats";
import type { ForwardRecord } from "../record/record";
import { inSlicesOf } from "../slices";
import { mediaTypeOf, type SinkAnswer } from "./answers";
import { GrpcConnection } from "./grpc";
import { httpFields, postingKind } from "./http-post";
import { allRejected, loadOptional, sinkNamed } from "./sink";

type Serializer = typeof import("@opentelemetry/otlp-transformer")["ProtobufLogsSerializer"];
type LogRecord = Parameters<Serializer["serializeRequest"]>[0][number];

const SCOPE = { name: "pulumi-packetfilter" };
const RESOURCE: LogRecord["resource"] = {
  attributes: { "service.name": "pulumi-packetfilter-forward" },
  merge: () => RESOURCE,
  getRawAttributes: () => [["service.name", "pulumi-packetfilter-forward"]],
};
/** SEVERITY_NUMBER_INFO of the OpenTelemetry log data model. */
const INFO = 9;

/** The method of the published protocol (opentelemetry/proto/collector/logs/v1/logs_service.proto). */
const EXPORT = "/opentelemetry.proto.collector.logs.v1.LogsService/Export";

const fields = members({
  ...httpFields,
  protocol: z.enum(["http", "grpc"], { error: 'must be "http" or "grpc"' }).default("http"),
})
  .refine(({ protocol, zstd }) => protocol === "http" || !zstd, {
    path: ["zstd"],
    error: "is not for gRPC: use `gzip`",
  })
  .refine(({ protocol, followRedirects }) => protocol === "http" || !followRedirects, {
    path: ["followRedirects"],
    error: "is not for gRPC, which has no redirects",
  });

/**
 * OpenTelemetry logs over HTTP or gRPC, protobuf by the official library. Attributes have the names of the semantic conventions,
 * whatever `format` says. What the other side says it did not take is kept as rejected: it does not say which it was.
 */
export const otlp = postingKind(
  fields,
  // Of gRPC the method, which is the whole path.
  ({ protocol }) => (protocol === "grpc" ? EXPORT : "/v1/logs"),
  async (context, { protocol, gzip }) => {
    const { ProtobufLogsSerializer: serializer } = await loadOtlp(sinkNamed(context.name));
    const attributes = formatter("otel");
    const grpc = protocol === "grpc" ? await import("@grpc/grpc-js") : undefined;
    const tls = () => context.options(fields).tls;
    return {
      ...(grpc && { connection: new GrpcConnection(grpc, { gzip, tls }, context.world) }),
      contentType: "application/x-protobuf",
      answers: {
        acknowledgement: "an ExportLogsServiceResponse with status 200, or an empty 204",
        async acknowledged(records, answer) {
          const response = grpc ? serializer.deserializeResponse(answer.body) : responseIn(serializer, answer);
          if (!response) return undefined;
          const { rejectedLogRecords: count = 0, errorMessage } = response.partialSuccess ?? {};
          if (count === 0) return {};
          const reason = answer.sanitize(errorMessage || "no reason given");
          return allRejected(await records.records(), `${count} of the request's records were refused: ${reason}`);
        },
      },
      // Requests one behind the other are one request of all their records: repeated fields of protobuf messages add up.
      async body(records) {
        const parts = await inSlicesOf(await records.records(), (slice) =>
          serializer.serializeRequest(slice.map((record) => logRecord(record, attributes(record)))),
        );
        const whole = parts.filter((part) => part !== undefined);
        return whole.length < parts.length ? undefined : Buffer.concat(whole);
      },
    };
  },
  { load: loadOtlp },
);

function loadOtlp(user: string) {
  return loadOptional(user, ["@opentelemetry/otlp-transformer"], () => import("@opentelemetry/otlp-transformer"));
}

/** Numbers of 64 bits are texts there. */
const jsonSchema = z.strictObject({
  partialSuccess: z
    .strictObject({ rejectedLogRecords: z.coerce.number().optional(), errorMessage: z.string().optional() })
    .optional(),
});

/**
 * The response of the protocol: nothing, protobuf, or, from servers that always answer so, JSON; `undefined` for others. The protocol
 * wants status 200. 204 is an empty 200 by another name, with which Grafana Cloud answers. 202 is no acknowledgement: what is accepted
 * so may still fail (RFC 9110, section 15.3.3).
 */
function responseIn(serializer: Serializer, answer: SinkAnswer) {
  const { status, body } = answer;
  if (status !== 200 && status !== 204) return undefined;
  if (body.length === 0) return {};
  switch (mediaTypeOf(answer)) {
    case "application/x-protobuf":
      return attempt(() => serializer.deserializeResponse(body));
    case "application/json":
      return attempt(() => jsonSchema.parse(JSON.parse(body.toString("utf8"))));
    default:
      return undefined;
  }
}

function logRecord(record: ForwardRecord, document: Document): LogRecord {
  const time = hrTime(record.timestamp);
  const { timestamp: _, body: __, event_name: ___, ...attributes } = document;
  return {
    hrTime: time,
    hrTimeObserved: time,
    severityNumber: INFO,
    severityText: "INFO",
    body: record.message,
    eventName: `packetfilter.mark.${record.event}`,
    resource: RESOURCE,
    instrumentationScope: SCOPE,
    attributes: Object.fromEntries(
      Object.entries(attributes).flatMap(([name, value]) => (value === undefined ? [] : [[name, attribute(value)]])),
    ),
    droppedAttributesCount: 0,
  };
}

function attribute(value: unknown): string | number | boolean {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  return JSON.stringify(value);
}

function hrTime(timestamp: string): [seconds: number, nanoseconds: number] {
  const ms = Date.parse(timestamp);
  return [Math.floor(ms / 1_000), (ms % 1_000) * 1_000_000];
}
