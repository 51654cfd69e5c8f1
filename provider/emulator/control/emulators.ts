import { z } from "zod";
import { isObject } from "../../model/json";
import { dialectSchema } from "../behaviour/dialect";
import { CONTROL, JOURNAL } from "../defaults";
import type { EmulatorInfo } from "../info";
import type { IsolatedOptions } from "../isolated";
import { stateAsJson } from "../state/given-state";
import { stateSchema } from "../state/state";
import { about } from "./about";
import { UnknownResource } from "./lookup";
import { operation } from "./operation";

const label = z
  .string()
  .min(1)
  .max(JOURNAL.labelCharacters)
  .describe("Its name until it ends, and the label of its first run. Unique among running ones.");

export const isolatedOptions = z.strictObject({
  label,
  state: stateSchema.optional().describe("Its content; default: the initial content of the emulator that starts it."),
  dialect: z
    .union([z.string(), dialectSchema])
    .optional()
    .describe("A name or switches; default: that of the emulator that starts it."),
  seed: z.int().min(0).optional().describe("Seed of random choices; default: that of the emulator that starts it."),
  idleMs: z
    .int()
    .min(0)
    .optional()
    .describe(
      "Real milliseconds without a request to any of its addresses after which it ends by itself; a request under way counts. 0: never. Default: 600 000 over the control API, whose clients may die; else 0.",
    ),
  replace: z
    .boolean()
    .optional()
    .describe("Ends a running one of this label once this one has started, in place of an error. Default: false."),
}) as z.ZodType<IsolatedOptions>;

export function isolatedAsJson(options: IsolatedOptions): unknown {
  return isObject(options) && options.state !== undefined ? { ...options, state: stateAsJson(options.state) } : options;
}

/** Operations for isolated emulators. The member `isolated` is not in this table, since it returns an emulator. */
export const emulators = {
  isolatedEmulators: operation("GET /emulators", "The running isolated emulators, with their addresses.", {
    answer: z.array(z.object({ label: z.string(), endpoint: z.string(), control: z.string() })),
    run: ({ isolated }) => isolated.list(),
  }),

  isolate: operation(
    "POST /emulators",
    "Starts an emulator in this process with its own state, journal, faults, clock and addresses. It ends by its label, after idleMs without a request, or with this one.",
    {
      input: isolatedOptions,
      answer: about.info.operation.answer as z.ZodType<EmulatorInfo>,
      run: async ({ isolated }, options) => (await isolated.start({ idleMs: CONTROL.idleMs, ...options })).info(),
    },
  ),

  endIsolated: operation("DELETE /emulators/{label}", "Ends an isolated emulator, and breaks its connections.", {
    input: z.strictObject({ label }),
    run: async ({ isolated }, { label }) => {
      if (!(await isolated.end(label))) throw new UnknownResource(`There is no isolated emulator ${label}.`);
    },
  }),
};
