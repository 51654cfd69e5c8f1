import type { ServiceError } from "@grpc/grpc-js";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { type FakeEngine, struct } from "./fake-engine";

/** A request of a type, with its members by the names of their setters. */
export function made<Request extends object>(type: new () => Request, members: Record<string, unknown>): Request {
  const request = new type() as Request & Record<string, (value: unknown) => void>;
  for (const [name, value] of Object.entries(members)) request[`set${name}`]?.(value);
  return request;
}

/** Properties that an answer holds. */
export type Held = Record<string, unknown>;

/** A resource of the state with new inputs. */
interface Changed {
  readonly id: string;
  readonly state: object;
  readonly inputs: object;
  readonly news: object;
  readonly ignoreChanges?: readonly string[];
}

/** Asks about one resource as an engine does. Properties go and come as they are on the wire, secrets closed. */
export class Subject {
  readonly urn: string;

  constructor(
    private readonly engine: () => FakeEngine,
    type: string,
    name: string,
    stack = "test",
  ) {
    this.urn = `urn:pulumi:${stack}::journey::packetfilter:index:${type}::${name}`;
  }

  check(news: object, olds: object = {}): Promise<messages.CheckResponse> {
    return this.ask("check", messages.CheckRequest, { News: struct(news), Olds: struct(olds) });
  }

  /** The inputs with which an engine goes on. */
  async checked(news: object, olds?: object): Promise<Held> {
    return held((await this.check(news, olds)).getInputs());
  }

  /** @param timeout Seconds that the program gives it. */
  create(inputs: object, preview = false, timeout = 0): Promise<messages.CreateResponse> {
    return this.ask("create", messages.CreateRequest, {
      Properties: struct(inputs),
      Preview: preview,
      Timeout: timeout,
    });
  }

  diff(of: Changed): Promise<messages.DiffResponse> {
    return this.ask("diff", messages.DiffRequest, changed(of));
  }

  update(of: Changed & { preview?: boolean; timeout?: number }): Promise<messages.UpdateResponse> {
    const { preview = false, timeout = 0 } = of;
    return this.ask("update", messages.UpdateRequest, { ...changed(of), Preview: preview, Timeout: timeout });
  }

  /** Reads what is in a state, or, without one, what an import finds by its id. */
  read(id: string, state: object = {}, inputs: object = {}, timeout = 0): Promise<messages.ReadResponse> {
    const properties = { Properties: struct(state), Inputs: struct(inputs) };
    return this.ask("read", messages.ReadRequest, { Id: id, ...properties, Timeout: timeout });
  }

  delete(id: string, state: object, timeout = 0): Promise<unknown> {
    return this.ask("delete", messages.DeleteRequest, { Id: id, Properties: struct(state), Timeout: timeout });
  }

  private ask<Answer>(method: string, type: new () => object, members: Held): Promise<Answer> {
    return this.engine().call<Answer>(method as never, made(type, { Urn: this.urn, ...members }));
  }
}

/** A failure: its text, and what it says of a resource that exists all the same. */
export async function failureOf(answer: Promise<unknown>) {
  const error = (await answer.then(
    () => Promise.reject(new Error("did not fail")),
    (failed) => failed,
  )) as ServiceError;
  const [packed] = error.metadata.get("grpc-status-details-bin");
  const [detail] = packed ? Status.deserializeBinary(packed as Buffer).getDetailsList() : [];
  const bytes = detail?.getValue_asU8();
  return { text: error.details, partial: bytes && messages.ErrorResourceInitFailed.deserializeBinary(bytes) };
}

/** The properties of an answer. */
export function held(properties: { toJavaScript(): unknown } | undefined): Held {
  return (properties?.toJavaScript() ?? {}) as Held;
}

function changed({ id, state, inputs, news, ignoreChanges = [] }: Changed): Held {
  const properties = { Olds: struct(state), OldInputs: struct(inputs), News: struct(news) };
  return { Id: id, ...properties, IgnorechangesList: ignoreChanges };
}
