import { readdirSync, readFileSync } from "node:fs";
import { attempt } from "../../model/errors";
import { expositionOf, type Family } from "../../model/exposition";

/**
 * Metrics of the process, by the names that Prometheus' client libraries give them
 * (prometheus.io/docs/instrumenting/writing_clientlibs, Process metrics). Those that only Linux has are absent elsewhere.
 */
export function processMetrics(): string {
  const { user, system } = process.cpuUsage();
  const limit = attempt(() => /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]);
  const files = attempt(() => readdirSync("/proc/self/fd").length - 1);
  const started = performance.timeOrigin / 1_000;
  return expositionOf([
    of("cpu_seconds_total", "counter", "Total user and system CPU time spent in seconds.", (user + system) / 1e6),
    of("start_time_seconds", "gauge", "Start time of the process since unix epoch in seconds.", started),
    of("resident_memory_bytes", "gauge", "Resident memory size in bytes.", process.memoryUsage.rss()),
    ...(files === undefined ? [] : [of("open_fds", "gauge", "Number of open file descriptors.", files)]),
    ...(limit === undefined ? [] : [of("max_fds", "gauge", "Maximum number of open file descriptors.", Number(limit))]),
  ]);
}

function of(name: string, kind: Family["kind"], help: string, value: number): Family {
  return { name: `process_${name}`, kind, help, samples: [{ labels: {}, value }] };
}
