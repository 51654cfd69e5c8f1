import { setTimeout as sleep } from "node:timers/promises";
import type { Act } from "../scenario";
import { CLIENT, type RealWorld } from "./world";

/** Real milliseconds of a restart. */
const RESTART_MS = 40;
/** Most real milliseconds that pass when time passes: the clocks of the machines go on without them. */
const PASSES_MS = 20;

/** Lets an actor act on the machines. The calendar of real processes cannot jump: that act has no effect here. */
export async function carryOut(act: Act, world: RealWorld): Promise<void> {
  switch (act.actor) {
    case "colleague": {
      const send = async (cmd: string, data?: unknown) => {
        const body = JSON.stringify({ url: act.set, cmd, ...(data !== undefined && { data }) });
        const headers = { "content-type": "application/json", "packetfilter-run": "colleague" };
        await fetch(`${world.addressOf(act.node)}/fapi`, { method: "POST", headers, body }).catch(() => {});
      };
      const insert = Object.entries(act.insert ?? {}).map(([p, v]) => ({ p, v }));
      if (insert.length > 0) await send("insert", insert);
      if (act.remove && act.remove.length > 0)
        await send(
          "delete",
          act.remove.map((a) => ({ a })),
        );
      if (act.commit) await send("commit");
      return;
    }
    case "client":
      world.machines.get(act.receiver)?.emulator.signal(CLIENT.clientId, {
        start: [...(act.start ?? [])],
        stop: [...(act.stop ?? [])],
      });
      return;
    case "node":
      await world.nodes.get(act.node)?.restart(act.restart, RESTART_MS);
      return;
    case "outage": {
      const machine = world.nodes.get(act.at) ?? world.machines.get(act.at);
      if (machine) machine.isSilent = act.silent;
      return;
    }
    case "health":
      world.health.set(act.node, act.state);
      return;
    case "time":
      for (const machine of world.machines.values()) machine.pass(act.ms);
      await sleep(Math.min(act.ms, PASSES_MS));
      return;
    case "calendar":
    case "restore":
      return;
    case "on-call":
      throw new Error("the real engine does not know the on-call engineer yet");
  }
}
