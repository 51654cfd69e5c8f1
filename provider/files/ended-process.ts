import { hostname } from "node:os";
import { codeOf } from "../model/errors";

/** True when a process of this machine has ended. For one of another machine (a shared disk) this is unknown. */
export function hasEnded({ host, pid }: { readonly host: string; readonly pid: number }): boolean {
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return codeOf(error) === "ESRCH";
  }
}
