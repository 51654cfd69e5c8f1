import type { ServerUnaryCall, sendUnaryData } from "@grpc/grpc-js";
import type { TimeLimits } from "../deployment/time-limit";
import type { DynamicProvider } from "../engine/dynamic-provider";
import type { JsonObject } from "../model/json";
import type { EngineLog } from "./engine-log";
import { EngineFailure } from "./failures";
import type { Opened } from "./properties";

/** Parts of the server. */
export interface PluginParts {
  readonly version: string;
  /** The schema as JSON text. */
  readonly schema: () => string;
  /** The handler of a type. */
  readonly get: (type: string) => DynamicProvider;
  /** Mistakes in a configuration, as sentences: those that are refused, and those that a warning passes. */
  readonly configProblems: (config: JsonObject) => Readonly<Record<"refused" | "passed", readonly string[]>>;
  /** A read function by its token. */
  readonly invoke: (token: string, args: Opened) => Promise<JsonObject>;
  /** Resources of a type that could be imported, by its token. */
  readonly list: (token: string, query: Opened) => Promise<readonly { readonly id: string; readonly name: string }[]>;
  readonly log: Pick<EngineLog, "about" | "flushed" | "connect" | "print">;
  /** Time that the program gives single operations. */
  readonly limits: TimeLimits;
  /** Begins the deployment of an engine that found this process running, by the address that the engine serves. */
  readonly attach: (address: string) => void;
  /** Ends pauses and other waiting, since the engine was interrupted or is done. */
  readonly cancel: () => void;
}

/** A method of the protocol: failures as the engine reads them, after each line that was printed so far. */
export function unary<Request, Response>(
  { log }: Pick<PluginParts, "log">,
  work: (request: Request) => Promise<Response>,
) {
  return async ({ request }: ServerUnaryCall<Request, Response>, answer: sendUnaryData<Response>): Promise<void> => {
    try {
      const response = await work(request);
      // A line after the last answer may come too late: the engine ends its plugins.
      await log.flushed();
      answer(null, response);
    } catch (error) {
      await log.flushed();
      answer(EngineFailure.of(error), null);
    }
  };
}
