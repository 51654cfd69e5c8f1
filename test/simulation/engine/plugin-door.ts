import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { Runtime } from "../../../provider/deployment/runtime";
import { TimeLimits } from "../../../provider/deployment/time-limit";
import type { JsonObject } from "../../../provider/model/json";
import { madeOnce } from "../../../provider/model/prefix-map";
import { nativeToken } from "../../../provider/model/resource-kind";
import { resourceMethods } from "../../../provider/plugin/resource-methods";
import { type Door, Partial, type Subject } from "./door";
import { dynamicProviders } from "./dynamic-door";

type Both = { readonly inputs: JsonObject; readonly outputs: JsonObject };

/** The protocol's methods without a connection: messages are written and read as the wire does. */
export class PluginDoor implements Door {
  readonly previews = true;
  private readonly methods: ReturnType<typeof resourceMethods>;

  constructor(runtime: Runtime, config: JsonObject) {
    const log = {
      about: <T>(_urn: string, work: () => T) => work(),
      flushed: () => Promise.resolve(),
      connect() {},
      print() {},
    };
    const get = dynamicProviders(runtime, config) as (type: string) => ReturnType<ReturnType<typeof dynamicProviders>>;
    this.methods = resourceMethods({ get, log, limits: new TimeLimits() });
  }

  async check(subject: Subject, olds: JsonObject, news: JsonObject) {
    const members = { Olds: struct(olds), News: struct(news) };
    const answer = await this.ask<messages.CheckResponse>("check", messages.CheckRequest, subject, members);
    const failures = answer.getFailuresList().map((failure) => failure.getReason());
    return { inputs: json(answer.getInputs()), failures };
  }

  async diff(subject: Subject, id: string, old: Both, news: JsonObject, ignoreChanges: readonly string[]) {
    const members = { Id: id, ...changed(old, news, ignoreChanges) };
    const answer = await this.ask<messages.DiffResponse>("diff", messages.DiffRequest, subject, members);
    const { DIFF_SOME, DIFF_NONE } = messages.DiffResponse.DiffChanges;
    const told = answer.getChanges();
    const changes = told === DIFF_SOME ? true : told === DIFF_NONE ? false : undefined;
    return { replaces: answer.getReplacesList(), ...(changes !== undefined && { changes }) };
  }

  async create(subject: Subject, inputs: JsonObject, preview: boolean) {
    const members = { Properties: struct(inputs), Preview: preview };
    const answer = await this.ask<messages.CreateResponse>("create", messages.CreateRequest, subject, members);
    return { id: answer.getId(), outputs: json(answer.getProperties()) };
  }

  async read(subject: Subject, id: string, old: Both) {
    const members = { Id: id, Properties: struct(old.outputs), Inputs: struct(old.inputs) };
    const answer = await this.ask<messages.ReadResponse>("read", messages.ReadRequest, subject, members);
    const inputs = json(answer.getInputs());
    return {
      id: answer.getId(),
      outputs: json(answer.getProperties()),
      ...(Object.keys(inputs).length > 0 && { inputs }),
    };
  }

  async update(
    subject: Subject,
    id: string,
    old: Both,
    news: JsonObject,
    preview: boolean,
    ignoreChanges: readonly string[],
  ) {
    const members = { Id: id, ...changed(old, news, ignoreChanges), Preview: preview };
    const answer = await this.ask<messages.UpdateResponse>("update", messages.UpdateRequest, subject, members);
    return json(answer.getProperties());
  }

  async delete(subject: Subject, id: string, outputs: JsonObject) {
    await this.ask("delete", messages.DeleteRequest, subject, { Id: id, Properties: struct(outputs) });
  }

  /** Calls a method with a request about a resource. @param members By the names of their setters. */
  private ask<Response>(
    method: keyof ReturnType<typeof resourceMethods>,
    Request: new () => object,
    { urn, type }: Subject,
    members: Readonly<Record<string, unknown>>,
  ): Promise<Response> {
    const request = new Request() as Record<string, (value: unknown) => void>;
    for (const [name, value] of Object.entries({ Urn: urn, Type: nativeToken(type), ...members }))
      (request[`set${name}`] as (value: unknown) => void).call(request, value);
    const run = this.methods[method] as unknown as (
      call: { request: unknown },
      answer: (error: unknown, response: Response) => void,
    ) => Promise<void>;
    return new Promise((resolve, reject) => {
      void run({ request }, (error, response) => (error ? reject(failure(error as WireError)) : resolve(response)));
    });
  }
}

interface WireError extends Error {
  readonly metadata?: { get(name: string): unknown[] };
}

/** A failure as the engine reads it: with the state of a resource that exists, if there is one. */
function failure(error: WireError): Error {
  const [details] = error.metadata?.get("grpc-status-details-bin") ?? [];
  const [detail] = details ? Status.deserializeBinary(details as Uint8Array).getDetailsList() : [];
  if (!detail) return error;
  const failed = ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8());
  return new Partial(
    [error.message, ...failed.getReasonsList()].join("\n"),
    failed.getId(),
    json(failed.getProperties()),
  );
}

/** Inputs and outputs go into several calls, and no reader changes a message. */
const struct = madeOnce((value: JsonObject) => Struct.fromJavaScript(value as Record<string, JavaScriptValue>));

/** Members of a request about a change. */
function changed({ inputs, outputs }: Both, news: JsonObject, ignoreChanges: readonly string[]) {
  const properties = { Olds: struct(outputs), OldInputs: struct(inputs), News: struct(news) };
  return { ...properties, IgnorechangesList: [...ignoreChanges] };
}

function json(value: Struct | undefined): JsonObject {
  return (value?.toJavaScript() ?? {}) as JsonObject;
}
