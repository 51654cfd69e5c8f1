import { z } from "zod";
import { type Dialect, type DialectSettings, deviations, dialect, dialectSchema } from "../behaviour/dialect";
import type { FaultDefinition } from "../behaviour/fault-kind";
import { FAULT_KINDS } from "../behaviour/fault-kinds";
import { type Fault, faultSchema } from "../behaviour/fault-schema";
import type { ActiveFault } from "../behaviour/faults";
import { expectNone, unmetFaults } from "../behaviour/unmet-faults";
import type { Simulation } from "../simulation";
import { checkMoment } from "../time/clock";
import { type Duration, durationSchema, milliseconds } from "../time/duration";
import { activeFault, unmetFault } from "./answers";
import { UnknownResource } from "./lookup";
import { type FaultRemover, getter, method, operation } from "./operation";

const faults = operation("GET /faults", "The faults that were set.", {
  answer: z.array(activeFault),
  run: ({ faults }): FaultAnswer[] => faults.list(),
});

const unmet = operation("GET /faults/unmet", "Faults that affected no request, with the nearest requests.", {
  answer: z.array(unmetFault),
  run: ({ faults, journal }) => unmetFaults(faults.list(), journal.entries),
});

const dialectInUse = operation("GET /dialect", "The dialect, and its switches that differ from the default.", {
  answer: z.object({ dialect: dialectSchema, deviations: z.record(z.string(), z.unknown()) }),
  run: ({ dialect }) => ({ dialect, deviations: deviations(dialect) }),
});

const clock = z.object({ now: z.string(), frozen: z.boolean() });
const showClock = ({ clock }: Simulation) => ({ now: clock.now.toISOString(), frozen: clock.frozen });

const time = operation("GET /clock", "The virtual time.", { answer: clock, run: showClock });

const setTime = operation("POST /clock", "Freezes, advances or resumes the virtual time, in this order.", {
  input: z
    .strictObject({
      freeze: z
        .union([z.literal(true), z.string()])
        .optional()
        .describe("true for the present time, or a time"),
      advance: durationSchema.optional().describe("Milliseconds, or a text such as 1h."),
      resume: z.literal(true).optional(),
    })
    .refine(({ freeze, resume }) => freeze !== true || !resume, {
      error: "freeze and resume exclude each other: freeze at a time, or leave one of them out",
    }),
  answer: clock,
  run: (simulation, { freeze, advance, resume }) => {
    const { clock } = simulation;
    // A refused request changes nothing.
    const from = typeof freeze === "string" ? Date.parse(freeze) : clock.ms;
    checkMoment(from + milliseconds(advance ?? 0));
    if (freeze !== undefined) clock.freeze(freeze === true ? undefined : freeze);
    if (advance !== undefined) clock.advance(advance);
    if (resume) clock.resume();
    return showClock(simulation);
  },
});

/** Behaviour of the emulator: faults and dialect. */
export const behaviour = {
  /** The faults that were set. */
  faults: getter(faults, (answer, emulator) => answer.map((fault) => removable(fault, emulator))),

  /** Sets a fault. It strikes once, unless its members say otherwise. @throws {TypeError} if it is not valid. */
  fail: method(
    operation("POST /faults", "Sets a fault.", {
      input: faultSchema as z.ZodType<Fault>,
      answer: activeFault,
      run: ({ faults, sources }, fault): FaultAnswer => {
        const { proxy, replayed = [], unseen } = sources;
        const isOther = proxy !== undefined || (replayed.includes("node") && unseen === "refuse");
        const { kind = "error" } = fault;
        const { changesNode }: FaultDefinition = FAULT_KINDS[kind];
        if (!isOther || !changesNode?.(fault)) return faults.add(fault);
        const kept = kind === "restart" ? '; with staged "kept" it only breaks connections' : "";
        throw new TypeError(`${kind} changes the emulator's own node, which does not answer here${kept}`);
      },
    }),
    (fault: Fault) => fault,
    removable,
  ),

  /** The faults that have affected no request so far, each with the reason and the nearest requests. */
  unmetFaults: method(unmet),

  /**
   * Fails if a fault affected no request: the test has not shown its effect.
   *
   * @throws {UnmetFaultError} naming each fault and the nearest requests.
   * @example
   * ```ts
   * emulator.fail({ cmd: "commit", status: 503 });
   * await programUnderTest(emulator.endpoint);
   * emulator.expectAllFaultsMet();
   * ```
   */
  expectAllFaultsMet: method(unmet, undefined, expectNone),

  /** Removes all faults. */
  clearFaults: method(operation("DELETE /faults", "Removes all faults.", { run: ({ faults }) => faults.clear() })),

  /** Removes one fault. @throws {UnknownResource} if there is none with this id. */
  removeFault: method(
    operation("DELETE /faults/{id}", "Removes one fault.", {
      input: z.strictObject({ id: z.int() }),
      run: ({ faults }, { id }) => {
        if (!faults.remove(id)) throw new UnknownResource(`There is no fault ${id}.`);
      },
    }),
    (id: number) => ({ id }),
  ),

  time,
  setTime,

  /** The settings of all switches. */
  dialect: getter(
    dialectInUse,
    ({ dialect }): Dialect => dialect,
    ({ dialect }) => dialect,
  ),

  /** Sets the dialect for the next requests, by name or by switches; absent switches have their defaults. */
  setDialect: method(
    operation("PUT /dialect", "Sets the dialect: by name, or by switches.", {
      input: z.union([z.strictObject({ name: z.string() }), dialectSchema]),
      run: (simulation, choice) => {
        simulation.dialect = "name" in choice ? dialect(choice.name) : choice;
      },
    }),
    (choice: string | DialectSettings) => dialect(choice),
  ),
};

/** The virtual clock of a remote emulator. */
export const remoteClock = {
  /** The virtual time. */
  now: getter(time, ({ now }) => new Date(now)),

  /** The virtual time in milliseconds since 1970. */
  ms: getter(time, ({ now }) => Date.parse(now)),

  /** True while the clock is frozen. */
  frozen: getter(time, ({ frozen }) => frozen),

  /** Freezes the clock, now or at a given time. */
  freeze: method(
    setTime,
    (at?: Date | string | number) => ({ freeze: at === undefined ? (true as const) : momentText(at) }),
    nothing,
  ),

  /** Moves the clock forward. */
  advance: method(setTime, (by: Duration) => ({ advance: by }), nothing),

  /** Lets the clock run again from its present time. */
  resume: method(setTime, () => ({ resume: true as const }), nothing),
};

/** A fault of this process, or of an answer over HTTP. */
type FaultAnswer = Omit<ActiveFault, "remove"> & Partial<Pick<ActiveFault, "remove">>;

/** A fault that can be removed remotely, too. */
function removable(fault: FaultAnswer, emulator: FaultRemover): ActiveFault {
  return isWhole(fault) ? fault : { ...fault, remove: () => emulator.removeFault(fault.id) as undefined };
}

const isWhole = (fault: FaultAnswer): fault is ActiveFault => fault.remove !== undefined;

/** A time for JSON; the emulator refuses anything else. */
function momentText(at: Date | string | number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString();
}

function nothing(): void {}
