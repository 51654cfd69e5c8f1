import type { ServerResponse } from "node:http";
import { z } from "zod";
import type { Simulation } from "../simulation";

export interface Exchange {
  /** Aborts when the caller has disconnected. */
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
  /** Schema of a JSON answer. Without it and `type`, the answer is {@link done}. */
  readonly answer?: z.ZodType;
  /** Schema by which a client checks a very long answer, since checking each member would take longer than the call. Default: `answer`. */
  readonly outline?: z.ZodType;
  /** Content type of a text answer. An operation that returns `undefined` has written the answer itself. */
  readonly type?: string;
  run(simulation: Simulation, input: Input, exchange: Exchange): Answer;
}

/** Defines an operation by method and path, a sentence about it, and its other members. */
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

/** The answer of an operation without a result. */
export const done = z.object({ status: z.literal("ok") }).describe("Done.");

export const pathParameters = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

/** True if the input is the body of the request; otherwise it is in the path and the query. */
export function hasBody({ method, path, input }: Operation): boolean {
  return input !== undefined && (method === "POST" || method === "PUT") && pathParameters(path).length === 0;
}

/** Removes faults of a remote emulator. */
export interface FaultRemover {
  removeFault(id: number): unknown;
}

/**
 * A member of `Emulator` and of `RemoteEmulator` that calls an operation. `takes` checks the arguments of a method and makes
 * the input of them; `gives` makes the result of the answer.
 */
interface Member<Kind extends string, Args extends unknown[], Result> {
  readonly kind: Kind;
  readonly operation: Operation;
  takes?(...args: Args): unknown;
  gives(answer: unknown, emulator: FaultRemover): Result;
  /** In the same process: the value, if it is more than the answer. */
  readonly own?: (simulation: Simulation) => Result;
}

export type Method<Args extends unknown[], Result> = Member<"method", Args, Result>;
export type Getter<Result> = Member<"getter", [], Result>;
export type Constant<Result> = Member<"constant", [], Result>;
export type AnyMember = Member<"method" | "getter" | "constant", unknown[], unknown>;

type Gives<Answer, Result> = (answer: Answer, emulator: FaultRemover) => Result;

/** A method. An `AbortSignal` among its arguments ends a long call. */
export function method<Input, Answer, Args extends unknown[] = [], Result = Answer>(
  operation: Operation<Input, Answer>,
  takes?: (...args: Args) => NoInfer<Input>,
  gives: Gives<Answer, Result> = asItIs,
): Method<Args, Result> {
  return { kind: "method", operation: operation as Operation, takes, gives: gives as Gives<unknown, Result> };
}

/** A getter that runs its operation at each read. */
export function getter<Input, Answer, Result = Answer>(
  operation: Operation<Input, Answer>,
  gives: Gives<Answer, Result> = asItIs,
  own?: (simulation: Simulation) => Result,
): Getter<Result> {
  return { kind: "getter", operation: operation as Operation, gives: gives as Gives<unknown, Result>, own };
}

/** A getter of a constant, which a client reads once at the start. */
export function constant<Input, Answer, Result>(
  operation: Operation<Input, Answer>,
  gives: Gives<Answer, Result>,
): Constant<Result> {
  return { kind: "constant", operation: operation as Operation, gives: gives as Gives<unknown, Result> };
}

const asItIs = <Result>(answer: unknown): Result => answer as Result;
