import { OptionsError } from "../client";
import { Unavailable } from "../forwarder/config/unavailable";
import { wrongUse } from "./option-values";

/**
 * Decides the exit code of a failure of `forward`: 2 for what the configuration itself proves wrong, and which no further try makes
 * right; 1 for what the machine lacks at present, such as a file of a secret. Service managers try again after 1.
 *
 * @throws {UsageError} for an {@link OptionsError}; any other error, and {@link Unavailable}, as a failure
 */
export function judged<T>(work: () => Promise<T>): Promise<T> {
  const unlessItPasses = (error: unknown): never => {
    throw error instanceof Unavailable ? new Error(error.message) : error;
  };
  return wrongUse(OptionsError, () => work().catch(unlessItPasses));
}
