import { Runtime, type Surroundings } from "../../../provider/deployment/runtime";
import type { SentNotes } from "../../../provider/deployment/sent-before";
import type { JsonObject } from "../../../provider/model/json";
import type { OtherProcesses } from "../../../provider/reconcile/desired";
import type { Door as DoorName } from "../scenario";
import type { ProcessWorld } from "../world/process-world";
import { type Door, Killed } from "./door";
import { DynamicDoor, dynamicProviders } from "./dynamic-door";
import { PluginDoor } from "./plugin-door";

/** Common to the processes of a run. */
interface Shared {
  readonly others: OtherProcesses;
  readonly notes: SentNotes;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** A provider process of a deployment: a runtime of its own behind one door. A killed one never answers. */
export class ProviderProcess {
  private readonly runtime: Runtime;
  private readonly door: Door;

  constructor(
    name: DoorName,
    config: JsonObject,
    private readonly world: ProcessWorld,
    { others, notes, env = {} }: Shared,
    { print, observe }: Pick<Surroundings, "print" | "observe">,
  ) {
    this.runtime = new Runtime({ env, print, observe, world, others, notes, usualSteps: 8 });
    this.door =
      name === "dynamic"
        ? new DynamicDoor(dynamicProviders(this.runtime, config))
        : new PluginDoor(this.runtime, config);
  }

  get previews(): boolean {
    return this.door.previews;
  }

  /** Carries out a call. @throws {Killed} if the process is killed meanwhile */
  async call<T>(work: (door: Door) => Promise<T>): Promise<T> {
    const killed = () => Promise.reject(new Killed("the provider was killed"));
    if (this.world.isDead) return killed();
    return Promise.race([work(this.door), this.world.killed.then(killed)]);
  }

  /** The engine's `Cancel`. */
  cancel(): void {
    this.runtime.cancel();
  }
}
