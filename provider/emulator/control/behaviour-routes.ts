import { z } from "zod";
import { deviations, dialectSchema } from "../behaviour/dialect";
import { type ActiveFault, faultSchema } from "../behaviour/faults";
import { expectNone } from "../behaviour/unmet-faults";
import { json } from "../http/reply";
import { done, duration, ok } from "./answers";
import { asItIs, type FaultRemover, nothing } from "./client-call";
import { activeFault, showFault, unmetFault } from "./fault-schema";
import { type ControlInput, type ControlRoute, route } from "./route";

const clock = z.object({ now: z.string(), frozen: z.boolean() });
const showClock = ({ emulator }: Pick<ControlInput, "emulator">) =>
  json(200, { now: emulator.clock.now.toISOString(), frozen: emulator.clock.frozen });

/** A moment as JSON has it; what is none is refused where it arrives. */
const momentText = (at: Date | string | number) => {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString();
};

/** A fault that can be taken back from afar, too. */
function removable(fault: z.output<typeof activeFault>, client: FaultRemover): ActiveFault {
  return { ...fault, remove: () => client.removeFault(fault.id) };
}

/** How the emulator behaves: faults, time, dialect. */
export const behaviourRoutes: readonly ControlRoute[] = [
  route({
    method: "GET",
    path: "/faults",
    summary: "The faults that were set.",
    answer: z.array(activeFault),
    reads: {
      faults: { result: (faults, client) => faults.map((fault) => removable(fault, client)) },
    },
    run: ({ emulator }) => json(200, emulator.faults.map(showFault)),
  }),
  route({
    method: "POST",
    path: "/faults",
    summary: "Lets something go wrong.",
    body: faultSchema,
    answer: activeFault,
    calls: { fail: { request: (fault) => ({ body: fault }), result: removable } },
    run: ({ emulator, body }) => json(200, showFault(emulator.fail(body))),
  }),
  route({
    method: "GET",
    path: "/faults/unmet",
    summary: "Faults that were set and struck nothing, with the requests that came nearest.",
    answer: z.array(unmetFault),
    calls: { unmetFaults: { result: asItIs }, expectAllFaultsMet: { result: expectNone } },
    run: ({ emulator }) => json(200, emulator.unmetFaults()),
  }),
  route({
    method: "DELETE",
    path: "/faults",
    summary: "Takes all faults back.",
    answer: done,
    calls: { clearFaults: { result: nothing } },
    run: ({ emulator }) => {
      emulator.clearFaults();
      return ok();
    },
  }),
  route({
    method: "DELETE",
    path: "/faults/{id}",
    summary: "Takes one fault back.",
    answer: done,
    calls: { removeFault: { request: (id) => ({ path: { id } }), result: nothing } },
    run: ({ emulator, path }) => {
      emulator.removeFault(Number(path.id));
      return ok();
    },
  }),
  route({
    method: "GET",
    path: "/clock",
    summary: "The virtual time.",
    answer: clock,
    reads: {
      "clock.now": { result: ({ now }) => new Date(now) },
      "clock.ms": { result: ({ now }) => Date.parse(now) },
      "clock.frozen": { result: ({ frozen }) => frozen },
    },
    run: showClock,
  }),
  route({
    method: "POST",
    path: "/clock",
    summary: "Freezes, advances or resumes the virtual time, in this order.",
    body: z.strictObject({
      freeze: z
        .union([z.literal(true), z.string()])
        .optional()
        .describe("true, or the time to freeze at"),
      advance: duration.optional(),
      resume: z.literal(true).optional(),
    }),
    answer: clock,
    calls: {
      "clock.freeze": {
        request: (at) => ({ body: { freeze: at === undefined ? true : momentText(at) } }),
        result: nothing,
      },
      "clock.advance": { request: (by) => ({ body: { advance: by } }), result: nothing },
      "clock.resume": { request: () => ({ body: { resume: true } }), result: nothing },
    },
    run: ({ emulator, body }) => {
      if (body.freeze !== undefined) emulator.clock.freeze(body.freeze === true ? undefined : body.freeze);
      if (body.advance !== undefined) emulator.clock.advance(body.advance);
      if (body.resume) emulator.clock.resume();
      return showClock({ emulator });
    },
  }),
  route({
    method: "GET",
    path: "/dialect",
    summary: "How the open points of the contract are settled, and which of it is not the default.",
    answer: z.object({ dialect: dialectSchema, deviations: z.record(z.string(), z.unknown()) }),
    reads: { dialect: { result: (answer) => answer.dialect } },
    run: ({ emulator }) => json(200, { dialect: emulator.dialect, deviations: deviations(emulator.dialect) }),
  }),
  route({
    method: "PUT",
    path: "/dialect",
    summary: "Sets the dialect: by name, or by switches.",
    body: z.union([z.strictObject({ name: z.string() }), dialectSchema]),
    answer: done,
    calls: {
      setDialect: {
        request: (choice) => ({ body: typeof choice === "string" ? { name: choice } : choice }),
        result: nothing,
      },
    },
    run: ({ emulator, body }) => {
      emulator.setDialect("name" in body ? body.name : body);
      return ok();
    },
  }),
];
