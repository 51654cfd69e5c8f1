import type { Simulation } from "../simulation";
import type { AnyMember, FaultRemover } from "./operation";
import { type LocalMembers, MEMBERS } from "./operations";

/** The members of the table of operations, at work on a simulation in the same process. */
class Members {
  readonly #simulation: Simulation;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  static {
    for (const [name, member] of MEMBERS) {
      const call = function (this: Members & FaultRemover, ...args: unknown[]) {
        return member.own ? member.own(this.#simulation) : ask(member, this.#simulation, args, this);
      };
      Object.defineProperty(Members.prototype, name, member.kind === "method" ? { value: call } : { get: call });
    }
  }
}

function ask({ operation, takes, gives }: AnyMember, simulation: Simulation, args: unknown[], emulator: FaultRemover) {
  const signal = args.find((each) => each instanceof AbortSignal);
  // An operation without input is asked for everything.
  return gives(operation.run(simulation, takes?.(...args) ?? {}, { signal }), emulator);
}

/** What an emulator in the same process is made of. */
export const EmulatorMembers = Members as unknown as new (simulation: Simulation) => LocalMembers;
