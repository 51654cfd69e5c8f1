import type { IncomingMessage, ServerResponse } from "node:http";
import type { z } from "zod";
import type { Reply } from "../http/reply";
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

/** An operation of the control API. The OpenAPI description is made of these. */
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
  /** The answer; `undefined` when the operation has written its answer itself. */
  readonly run: (input: ControlInput) => Answer;
}

/** An operation whose handler knows the types of its query and body. */
export function route<Query extends z.ZodType = z.ZodUndefined, Body extends z.ZodType = z.ZodUndefined>(
  definition: Omit<ControlRoute, "query" | "body" | "run"> & {
    query?: Query;
    body?: Body;
    run: (input: ControlInput<z.output<Query>, z.output<Body>>) => Answer;
  },
): ControlRoute {
  return definition as ControlRoute;
}
