import { z } from "zod";
import type { Simulation } from "../simulation";
import { about } from "./about";
import { behaviour, type remoteClock } from "./behaviour";
import { emulators } from "./emulators";
import { journal } from "./journal";
import { openApi } from "./openapi";
import {
  type AnyMember,
  type Constant,
  type FaultRemover,
  type Getter,
  type Method,
  type Operation,
  operation,
} from "./operation";
import { pageOperations } from "./page";
import { state } from "./state";
import { type remoteTraffic, traffic } from "./traffic";

const description = operation("GET /openapi.json", "This description.", {
  answer: z.looseObject({ openapi: z.string() }),
  run: (): { openapi: string } => openApi(OPERATIONS),
});

/**
 * All operations of an emulator. The object in the same process, the control API, its description and the client are made
 * from this table. An entry is an operation alone, or a member with its operation.
 */
const TABLE = { ...about, description, ...state, ...journal, ...behaviour, ...traffic, ...emulators };

/** The type of the table; that of a spread would lose its comments. */
type Table = typeof about & typeof state & typeof journal & typeof behaviour & typeof traffic;

/** The members of an emulator in the same process. */
export type LocalMembers = {
  readonly [Name in keyof Table as Table[Name] extends Operation ? never : Name]: Local<Table[Name]>;
};

type Local<Entry> =
  Entry extends Method<infer Args, infer Result>
    ? (...args: Args) => Result
    : Entry extends Getter<infer Result> | Constant<infer Result>
      ? Result
      : never;

/** The members of a remote emulator: methods and getters return promises. */
export type RemoteMembers = Remotes<Table> &
  Remotes<typeof remoteTraffic> & {
    /** The virtual clock. */
    readonly clock: Remotes<typeof remoteClock>;
  };

type Remotes<Entries> = {
  readonly [Name in keyof Entries as Entries[Name] extends Operation ? never : Name]: Remote<Entries[Name]>;
};

type Remote<Entry> =
  Entry extends Method<infer Args, infer Result>
    ? (...args: Args) => Promise<Awaited<Result>>
    : Entry extends Getter<infer Result>
      ? Promise<Result>
      : Entry extends Constant<infer Result>
        ? Result
        : never;

const isOperation = (entry: object): entry is Operation => "path" in entry;

export const MEMBERS = Object.entries(TABLE).filter(([, entry]) => !isOperation(entry)) as [string, AnyMember][];

/** Every operation of the control API. */
export const OPERATIONS: readonly Operation[] = [
  ...new Set([
    ...Object.values(TABLE).map((entry) => (isOperation(entry) ? entry : entry.operation)),
    ...pageOperations,
  ] as Operation[]),
];

/** Runs the members of the table on a simulation in the same process. */
class Members {
  readonly #simulation: Simulation;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  static {
    for (const [name, { kind, operation, takes, gives, own }] of MEMBERS) {
      const call = function (this: Members & FaultRemover, ...args: unknown[]) {
        if (own) return own(this.#simulation);
        const signal = args.find((each) => each instanceof AbortSignal);
        // A getter has no input and so selects everything.
        return gives(operation.run(this.#simulation, takes?.(...args) ?? {}, { signal }), this);
      };
      Object.defineProperty(Members.prototype, name, kind === "method" ? { value: call } : { get: call });
    }
  }
}

/** Class with the members of an emulator in the same process. */
export const EmulatorMembers = Members as unknown as new (simulation: Simulation) => LocalMembers;
