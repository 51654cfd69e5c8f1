import { writeFileSync } from "node:fs";
import { Session } from "node:inspector";
import { join } from "node:path";

// Loaded before the programs of a run: writes the profile of the engine's provider process, and its processor time, where it ends.
const folder = process.env.PACKETFILTER_BENCH_PROFILES;
if (folder !== undefined && process.argv[1]?.includes("dynamic-provider")) {
  const session = new Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.setSamplingInterval", { interval: 200 });
  session.post("Profiler.start");
  // The floor's has no handler of its own.
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => void (process.listenerCount(signal) === 1 && process.exit(0)));
  process.on("exit", () => {
    const { user, system } = process.cpuUsage();
    session.post("Profiler.stop", (_, { profile }) => {
      const text = JSON.stringify({ cpu: (user + system) / 1_000, profile });
      writeFileSync(join(folder, `${process.pid}.json`), text);
    });
  });
}
