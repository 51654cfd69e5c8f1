import { z } from "zod";
import { deviations, dialectSchema } from "../behaviour/dialect";
import { faultSchema } from "../behaviour/faults";
import { json } from "../http/reply";
import { done, duration, ok } from "./answers";
import { activeFault, showFault } from "./fault-schema";
import { type ControlInput, type ControlRoute, route } from "./route";

const clock = z.object({ now: z.string(), frozen: z.boolean() });
const showClock = ({ emulator }: Pick<ControlInput, "emulator">) =>
  json(200, { now: emulator.clock.now.toISOString(), frozen: emulator.clock.frozen });

/** How the emulator behaves: faults, time, dialect. */
export const behaviourRoutes: readonly ControlRoute[] = [
  route({
    method: "GET",
    path: "/faults",
    summary: "The faults that were set.",
    answer: z.array(activeFault),
    run: ({ emulator }) => json(200, emulator.faults.map(showFault)),
  }),
  route({
    method: "POST",
    path: "/faults",
    summary: "Lets something go wrong.",
    body: faultSchema,
    answer: activeFault,
    run: ({ emulator, body }) => json(200, showFault(emulator.fail(body))),
  }),
  route({
    method: "DELETE",
    path: "/faults",
    summary: "Takes all faults back.",
    answer: done,
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
    run: ({ simulation, path }) =>
      simulation.faults.remove(Number(path.id)) ? ok() : json(404, { error: `there is no fault ${path.id}` }),
  }),
  route({ method: "GET", path: "/clock", summary: "The virtual time.", answer: clock, run: showClock }),
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
    answer: z.object({ dialect: dialectSchema, deviations: dialectSchema }),
    run: ({ emulator }) => json(200, { dialect: emulator.dialect, deviations: deviations(emulator.dialect) }),
  }),
  route({
    method: "PUT",
    path: "/dialect",
    summary: "Sets the dialect: by name, or by switches.",
    body: z.union([z.strictObject({ name: z.string() }), dialectSchema]),
    answer: done,
    run: ({ emulator, body }) => {
      emulator.setDialect("name" in body ? body.name : body);
      return ok();
    },
  }),
];
