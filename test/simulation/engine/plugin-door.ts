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

  async check({ urn, type }: Subject, olds: JsonObject, news: JsonObject) {
    const request = new messages.CheckRequest();
    request.setUrn(urn);
    request.setType(nativeToken(type));
    request.setOlds(struct(olds));
    request.setNews(struct(news));
    const answer = await this.call<messages.CheckResponse>("check", request);
    const failures = answer.getFailuresList().map((failure) => failure.getReason());
    return { inputs: json(answer.getInputs()), failures };
  }

  async diff({ urn, type }: Subject, id: string, old: Both, news: JsonObject, ignoreChanges: readonly string[]) {
    const request = new messages.DiffRequest();
    request.setUrn(urn);
    request.setType(nativeToken(type));
    request.setId(id);
    request.setOlds(struct(old.outputs));
    request.setOldInputs(struct(old.inputs));
    request.setNews(struct(news));
    request.setIgnorechangesList([...ignoreChanges]);
    const answer = await this.call<messages.DiffResponse>("diff", request);
    const { DIFF_SOME, DIFF_NONE } = messages.DiffResponse.DiffChanges;
    const told = answer.getChanges();
    const changes = told === DIFF_SOME ? true : told === DIFF_NONE ? false : undefined;
    return { replaces: answer.getReplacesList(), ...(changes !== undefined && { changes }) };
  }

  async create({ urn, type }: Subject, inputs: JsonObject, preview: boolean) {
    const request = new messages.CreateRequest();
    request.setUrn(urn);
    request.setType(nativeToken(type));
    request.setProperties(struct(inputs));
    request.setPreview(preview);
    const answer = await this.call<messages.CreateResponse>("create", request);
    return { id: answer.getId(), outputs: json(answer.getProperties()) };
  }

  async read({ urn, type }: Subject, id: string, old: Both) {
    const request = new messages.ReadRequest();
    request.setUrn(urn);
    request.setType(nativeToken(type));
    request.setId(id);
    request.setProperties(struct(old.outputs));
    request.setInputs(struct(old.inputs));
    const answer = await this.call<messages.ReadResponse>("read", request);
    const inputs = json(answer.getInputs());
    return {
      id: answer.getId(),
      outputs: json(answer.getProperties()),
      ...(Object.keys(inputs).length > 0 && { inputs }),
    };
  }

  async update(
    { urn, type }: Subject,
    id: string,
    old: Both,
    news: JsonObject,
    preview: boolean,
    ignoreChanges: readonly string[],
  ) {
    const request = new messages.UpdateRequest();
    request.setUrn(urn);
    request.setType(nativeToken(type));
    request.setId(id);
    request.setOlds(struct(old.outputs));
    request.setOldInputs(struct(old.inputs));
    request.setNews(struct(news));
    request.setPreview(preview);
    request.setIgnorechangesList([...ignoreChanges]);
    const answer = await this.call<messages.UpdateResponse>("update", request);
    return json(answer.getProperties());
  }

  async delete({ urn, type }: Subject, id: string, outputs: JsonObject) {
    const request = new messages.DeleteRequest();
    request.setUrn(urn);
    request.setType(nativeToken(type));
    request.setId(id);
    request.setProperties(struct(outputs));
    await this.call("delete", request);
  }

  private call<Response>(method: keyof ReturnType<typeof resourceMethods>, request: unknown): Promise<Response> {
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

function json(value: Struct | undefined): JsonObject {
  return (value?.toJavaScript() ?? {}) as JsonObject;
}
