import { UsageError } from "./cli-io";

/**
 * What the work gives; an error of one kind, thrown or rejected with, is wrong use (exit code 2), any other stays a failure.
 *
 * @param about What the message begins with, such as `--now: `.
 * @throws {UsageError} with the message of an error of that kind
 */
export function wrongUse<T>(kind: abstract new (...args: never[]) => Error, work: () => T, about = ""): T {
  const judged = (error: unknown): never => {
    throw error instanceof kind ? new UsageError(`${about}${error.message}`) : error;
  };
  try {
    const result = work();
    return result instanceof Promise ? (result.catch(judged) as T) : result;
  } catch (error) {
    return judged(error);
  }
}
