import { parseEndpoint, parseNodeEndpoint } from "../client/endpoint";
import { caught, PacketFilterError } from "../model/errors";
import type { JsonObject } from "../model/json";
import { readSettings } from "./settings";

/** Values of a configuration that cannot be read, whatever uses them: the addresses, and the limits and switches of the stack. */
export function configValueProblems(config: JsonObject): { property: string; reason: string }[] {
  const { endpoint, signalingUrl } = config;
  const checks: [property: string, check: () => unknown][] = [
    ["endpoint", () => typeof endpoint === "string" && parseNodeEndpoint(endpoint)],
    ["signalingUrl", () => typeof signalingUrl === "string" && parseEndpoint(signalingUrl, "signalingUrl")],
    ["", () => readSettings((key) => config[key], {})],
  ];
  const problem = ({ message: reason }: Error) => reason;
  return checks.flatMap(([property, check]) => {
    const reason = caught(() => void check(), PacketFilterError, problem);
    return reason === undefined ? [] : [{ property, reason }];
  });
}
