import { Prefix } from "../provider/model/prefix";

/** Safety of the connection to a node or receiver. */
export type TransportSafety = "https" | "loopback" | "allowed network" | "open" | "unreadable";

/** Safety of an address by scheme and host. The result contains no part of the address, which may hold secrets. */
export function transportSafety(
  address: string,
  isAllowed: (address: Prefix) => boolean,
  hosts: readonly string[],
): TransportSafety {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return "unreadable";
  }
  if (url.protocol === "https:") return "https";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (host === "localhost") return "loopback";
  if (hosts.includes(host)) return "allowed network";
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
