import { onTestFinished } from "vitest";
import { NodeMemories } from "../../../provider/client/world";
import { LiveConfig } from "../../../provider/forwarder/config/config";
import { Forwarder } from "../../../provider/forwarder/forwarder";
import { Service } from "../../../provider/forwarder/operating/service";
import { TestClock } from "./clock";
import { Told } from "./forward";

/** A service at work with its listener, on a clock that the test moves, until the test is over. */
export async function startService(config: object, folder: string) {
  const clock = new TestClock();
  const log = new Told();
  const parts = { log, world: clock, stdout: async () => {}, memories: new NodeMemories(), thread: false };
  const open = (now: LiveConfig) => Forwarder.open({ config: now, ...parts });
  const service = await Service.start(await LiveConfig.ofObject(config, {}, folder), { log, open });
  onTestFinished(async () => {
    // Its folder may be gone, and its clock stands still.
    await service.forwarder.stop(0);
    await service.stop();
  });
  /** Its present address. */
  const url = () => String(/https?:\/\/[\d.:]+/.exec(log.lines.findLast((line) => line.includes("Answers on")) ?? ""));
  return { service, clock, log, url };
}
