import { Prefix } from "../provider/model/prefix";
import { hostOf } from "./config/values";

/** Safety of the connection to a node or receiver. */
export type TransportSafety = "https" | "loopback" | "allowed network" | "open";

/** Safety of an address by scheme and host. */
export function transportSafety(
  address: string,
  isAllowed: (address: Prefix) => boolean,
  hosts: readonly string[],
): TransportSafety {
  const url = new URL(address);
  if (url.protocol === "https:") return "https";
  const host = hostOf(url);
  if (host === "localhost") return "loopback";
  if (hosts.some((one) => one.toLowerCase() === host)) return "allowed network";
  let prefix: Prefix;
  try {
    prefix = Prefix.parse(host);
  } catch {
    return "open";
  }
  if (LOOPBACK.some((loopback) => loopback.contains(prefix))) return "loopback";
  return isAllowed(prefix) ? "allowed network" : "open";
}

const LOOPBACK = [Prefix.parse("127.0.0.0/8"), Prefix.parse("::1/128")];
