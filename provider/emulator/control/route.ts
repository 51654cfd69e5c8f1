import type { IncomingMessage, ServerResponse } from "node:http";
import type { z } from "zod";
import type { Reply } from "../http/reply";
import type { AnyClientCall, ClientCalls } from "./client-call";
import type { ControlledEmulator, ControlledSimulation } from "./subject";

/** What an operation of the control API gets. */
export interface ControlInput<Query = unknown, Body = unknown> {
  readonly emulator: ControlledEmulator;
  readonly simulation: ControlledSimulation;
  /** All operations, for the description. */
  readonly routes: readonly ControlRoute[];
  readonly path: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

type Answer = Reply | undefined | Promise<Reply | undefined>;

/** An operation of the control API. Routes, the OpenAPI description and the client are made of these. */
export interface ControlRoute {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path with parameters in braces. */
  readonly path: string;
  readonly summary: string;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** JSON of a successful answer; absent where the answer is something else. */
  readonly answer?: z.ZodType;
  /** Content type of an answer that is not JSON. */
  readonly answerType?: string;
  /** Methods of the client that this operation is the other end of. */
  readonly calls?: Readonly<Record<string, AnyClientCall>>;
  /** Getters of the client, likewise. */
  readonly reads?: Readonly<Record<string, AnyClientCall>>;
  /** The answer; `undefined` when the operation has written its answer itself. */
  readonly run: (input: ControlInput) => Answer;
}

/** An operation whose handler knows the types of its query and body, and whose client those of its answer. */
export function route<
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
  Shown extends z.ZodType = z.ZodUndefined,
>(
  definition: Omit<ControlRoute, "query" | "body" | "answer" | "calls" | "reads" | "run"> & {
    query?: Query;
    body?: Body;
    answer?: Shown;
    calls?: ClientCalls<z.output<Shown>>;
    reads?: ClientCalls<z.output<Shown>>;
    run: (input: ControlInput<z.output<Query>, z.output<Body>>) => Answer;
  },
): ControlRoute {
  return definition as unknown as ControlRoute;
}
