import type { Act } from "../scenario";
import type { World } from "../simulation";
import { CLIENT } from "../world/machines";
import type { Calendar } from "../world/process-world";
import { emergency } from "./on-call";
import { operate } from "./operator";

/** Lets an actor act. Requests of others reach the machine at once, as those of a script beside it. */
export async function carryOut(act: Act, world: World, calendar: Calendar): Promise<void> {
  switch (act.actor) {
    case "colleague": {
      const machine = world.nodes.get(act.node);
      const send = (cmd: string, data?: unknown) =>
        machine?.answer({
          method: "POST",
          target: "/fapi",
          headers: { "content-type": "application/json", "packetfilter-run": "colleague" },
          body: Buffer.from(
            JSON.stringify({ url: cmd === "commit" ? commitOf(act.node, act.set, world) : act.set, cmd, data }),
          ),
        });
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
      world.machines
        .get(act.receiver)
        ?.emulator.signal(CLIENT.clientId, { start: [...(act.start ?? [])], stop: [...(act.stop ?? [])] });
      return;
    case "node": {
      const machine = world.nodes.get(act.node);
      if (!machine) return;
      machine.discardStaged();
      machine.refuse(RESTART_MS);
      if (act.restart === "empty") machine.empty();
      if (act.restart === "older") machine.older();
      return;
    }
    case "outage": {
      const machine = world.nodes.get(act.at) ?? world.machines.get(act.at);
      if (machine) machine.isSilent = act.silent;
      return;
    }
    case "pages": {
      const machine = world.nodes.get(act.node);
      if (machine) machine.most = act.most ?? Number.POSITIVE_INFINITY;
      return;
    }
    case "health":
      world.health.set(act.node, act.state);
      return;
    case "time":
      await world.time.sleep(act.ms);
      return;
    case "calendar":
      calendar.offset += act.ms;
      return;
    case "restore": {
      const stack = world.stacks[act.stack];
      const older = stack?.history.at(-1 - act.runsAgo);
      if (stack && older) stack.history.push(older);
      return;
    }
    case "on-call":
      await emergency(act, world);
      return;
    case "operator":
      await operate(act, world);
      return;
  }
}

/** Url of the commit of a set at a node. */
function commitOf(node: string, set: string, { scenario }: World): string {
  const { dialect } = scenario.nodes.find(({ name, aliases }) => name === node || aliases?.includes(node)) ?? {};
  return dialect?.commitUrl === undefined ? set : set.replace(/\/[^/]*$/, "");
}

/** Time of a restart, in milliseconds. */
const RESTART_MS = 400;
