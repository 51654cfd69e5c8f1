import type { ServerResponse } from "node:http";
import { z } from "zod";
import type { Simulation } from "../simulation";

/** Parts of a call that its operation can use. */
export interface Exchange {
  /** Ends what takes time: the caller has gone. */
  readonly signal?: AbortSignal;
  /** For an operation that writes its answer itself. */
  readonly response?: ServerResponse;
}

/** An operation of an emulator, in the same process and over HTTP. */
export interface Operation<Input = unknown, Answer = unknown> {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path with parameters in braces. */
  readonly path: string;
  readonly summary: string;
  /** Schema of the input; {@link hasBody} says whether that is the body of a request. */
  readonly input?: z.ZodType<Input>;
  /** JSON of the answer. Without it, and without `type`, the answer only says that it is done. */
  readonly answer?: z.ZodType;
  /** Schema by which a client checks an answer that may have millions of members: to check each would take longer than the call. Absent: `answer`. */
  readonly outline?: z.ZodType;
  /** Content type of an answer that is text; `undefined` as the answer: the operation has written it itself. */
  readonly type?: string;
  run(simulation: Simulation, input: Input, exchange: Exchange): Answer;
}

/** An operation, from its method and path, a sentence about it, and the rest. */
export function operation<Input, Answer>(
  request: `${Operation["method"]} /${string}`,
  summary: string,
  rest: {
    input?: z.ZodType<Input>;
    answer?: z.ZodType<Awaited<NoInfer<Answer>>>;
    outline?: z.ZodType;
    type?: string;
    run: (simulation: Simulation, input: Input, exchange: Exchange) => Answer;
  },
): Operation<Input, Answer> {
  const [method, path] = request.split(" ") as [Operation["method"], string];
  return { method, path, summary, ...rest };
}

/** The JSON of an answer that only says that it is done. */
export const done = z.object({ status: z.literal("ok") }).describe("Done.");

/** The names of the parameters in a path. */
export const pathParameters = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

/** Whether the input is the body of the request. If not, it stands in the path and in the query. */
export function hasBody({ method, path, input }: Operation): boolean {
  return input !== undefined && (method === "POST" || method === "PUT") && pathParameters(path).length === 0;
}

/** Takes back faults that were set from afar. */
export interface FaultRemover {
  removeFault(id: number): unknown;
}

/**
 * A member of `Emulator` and of `RemoteEmulator`, as a way to use an operation. A method reads its arguments, and says what is
 * wrong with them, in `takes`; `gives` makes of the answer what the member gives.
 */
interface Member<Kind extends string, Args extends unknown[], Result> {
  readonly kind: Kind;
  readonly operation: Operation;
  takes?(...args: Args): unknown;
  gives(answer: unknown, emulator: FaultRemover): Result;
  /** In the same process: the value itself, where that is more than the answer. */
  readonly own?: (simulation: Simulation) => Result;
}

export type Method<Args extends unknown[], Result> = Member<"method", Args, Result>;
export type Getter<Result> = Member<"getter", [], Result>;
export type Constant<Result> = Member<"constant", [], Result>;
export type AnyMember = Member<"method" | "getter" | "constant", unknown[], unknown>;

type Gives<Answer, Result> = (answer: Answer, emulator: FaultRemover) => Result;

/** A method. An `AbortSignal` among its arguments ends what takes time. */
export function method<Input, Answer, Args extends unknown[] = [], Result = Answer>(
  operation: Operation<Input, Answer>,
  takes?: (...args: Args) => NoInfer<Input>,
  gives: Gives<Answer, Result> = asItIs,
): Method<Args, Result> {
  return { kind: "method", operation: operation as Operation, takes, gives: gives as Gives<unknown, Result> };
}

/** A getter: each read runs its operation anew. */
export function getter<Input, Answer, Result = Answer>(
  operation: Operation<Input, Answer>,
  gives: Gives<Answer, Result> = asItIs,
  own?: (simulation: Simulation) => Result,
): Getter<Result> {
  return { kind: "getter", operation: operation as Operation, gives: gives as Gives<unknown, Result>, own };
}

/** A getter of what never changes: a client knows it from the start. */
export function constant<Input, Answer, Result>(
  operation: Operation<Input, Answer>,
  gives: Gives<Answer, Result>,
): Constant<Result> {
  return { kind: "constant", operation: operation as Operation, gives: gives as Gives<unknown, Result> };
}

const asItIs = <Result>(answer: unknown): Result => answer as Result;
