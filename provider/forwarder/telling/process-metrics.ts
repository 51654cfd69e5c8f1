import { readdirSync, readFileSync } from "node:fs";
import { attempt } from "../../model/errors";

/**
 * Metrics of the process, by the names that Prometheus' client libraries give them
 * (prometheus.io/docs/instrumenting/writing_clientlibs, Process metrics). Those that only Linux has are absent elsewhere.
 */
export function processMetrics(): string {
  const { user, system } = process.cpuUsage();
  const limit = attempt(() => /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]);
  const metrics: [name: string, kind: "counter" | "gauge", help: string, value: number | undefined][] = [
    ["cpu_seconds_total", "counter", "Total user and system CPU time spent in seconds.", (user + system) / 1e6],
    [
      "start_time_seconds",
      "gauge",
      "Start time of the process since unix epoch in seconds.",
      performance.timeOrigin / 1_000,
    ],
    ["resident_memory_bytes", "gauge", "Resident memory size in bytes.", process.memoryUsage.rss()],
    ["open_fds", "gauge", "Number of open file descriptors.", attempt(() => readdirSync("/proc/self/fd").length - 1)],
    ["max_fds", "gauge", "Maximum number of open file descriptors.", limit === undefined ? undefined : Number(limit)],
  ];
  return metrics
    .flatMap(([name, kind, help, value]) =>
      value === undefined
        ? []
        : [`# HELP process_${name} ${help}\n# TYPE process_${name} ${kind}\nprocess_${name} ${value}\n`],
    )
    .join("");
}
