import type { ProbeResult } from "./finding";

/**
 * Exit code of a probe, the highest that holds: 5, changes are left; 4, something was seen that nothing expresses; 1, the probe
 * ended early or a point could not be found out; 0.
 */
export function exitCode({ findings, left, stopped }: Pick<ProbeResult, "findings" | "left" | "stopped">): number {
  if (left.length > 0) return 5;
  if (findings.some(({ expressed }) => expressed === "beyond")) return 4;
  return stopped !== undefined || findings.some(({ found }) => found === "error") ? 1 : 0;
}
