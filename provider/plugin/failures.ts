import { Metadata, type ServiceError, status } from "@grpc/grpc-js";
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
 * A failure as the engine reads it: a sentence, and of a resource that exists all the same its state, from which the next update
 * goes on.
 *
 * @param onWire Puts the properties of such a resource on the wire.
 */
export function failure(error: unknown, onWire: (props: JsonObject) => Struct): Partial<ServiceError> {
  const message = messageOf(error);
  const found = partialOf(error);
  if (!found) return { code: status.UNKNOWN, details: message };
  const failed = new ErrorResourceInitFailed();
  failed.setId(found.id);
  failed.setProperties(onWire(found.properties));
  failed.setReasonsList([...found.reasons]);
  const detail = new Any();
  detail.pack(failed.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const details = new Status();
  details.setCode(status.UNKNOWN);
  details.setMessage(message);
  details.addDetails(detail);
  const metadata = new Metadata();
  metadata.add("grpc-status-details-bin", Buffer.from(details.serializeBinary()));
  return { code: status.UNKNOWN, details: message, metadata };
}

function partialOf(error: unknown): Partial_ | undefined {
  const given = error as Partial<Partial_> | undefined;
  const { id, properties, reasons } = given ?? {};
  return id !== undefined && properties && reasons ? { id, properties, reasons } : undefined;
}
