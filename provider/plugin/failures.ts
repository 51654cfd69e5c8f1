import { Metadata, status } from "@grpc/grpc-js";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { messageOf } from "../model/errors";
import type { JsonObject } from "../model/json";

/** A failure after which the resource exists, with what is true of it. */
interface Partial_ {
  readonly id: string;
  readonly properties: JsonObject;
  readonly reasons: readonly string[];
}

/**
 * A failure as the engine reads it: a sentence, and for a resource that exists nevertheless, also its state, from which the
 * next update continues.
 */
export class EngineFailure extends Error {
  readonly code = status.UNKNOWN;
  readonly details: string;
  readonly metadata = new Metadata();

  private constructor(message: string) {
    super(message);
    this.details = message;
  }

  /**
   * @param onWire Puts the properties of such a resource on the wire; nothing else leaves one.
   * @param more A sentence about all of the operation.
   */
  static of(error: unknown, onWire?: (props: JsonObject) => Struct, more?: string): EngineFailure {
    if (error instanceof EngineFailure) return error;
    const failure = new EngineFailure([messageOf(error), ...listOf(more)].join(" "));
    const found = onWire && partialOf(error);
    if (found)
      failure.metadata.add(
        "grpc-status-details-bin",
        packed(failure.message, [...found.reasons, ...listOf(more)], found.id, onWire(found.properties)),
      );
    return failure;
  }
}

const listOf = (text: string | undefined): readonly string[] => (text === undefined ? [] : [text]);

function packed(message: string, reasons: readonly string[], id: string, properties: Struct): Buffer {
  const failed = new ErrorResourceInitFailed();
  failed.setId(id);
  failed.setProperties(properties);
  failed.setReasonsList([...reasons]);
  const detail = new Any();
  detail.pack(failed.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const details = new Status();
  details.setCode(status.UNKNOWN);
  details.setMessage(message);
  details.addDetails(detail);
  return Buffer.from(details.serializeBinary());
}

function partialOf(error: unknown): Partial_ | undefined {
  const given = error as Partial<Partial_> | undefined;
  const { id, properties, reasons } = given ?? {};
  return id !== undefined && properties && reasons ? { id, properties, reasons } : undefined;
}
