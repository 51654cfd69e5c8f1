import { z } from "zod";
import type { FaultDefinition } from "../behaviour/fault-kind";
import { FAULT_KINDS, faultPresets } from "../behaviour/fault-kinds";
import { type ControlRoute, route } from "../control/route";
import { json } from "../http/reply";

const kind = z.object({
  kind: z.string(),
  about: z.string(),
  parameters: z
    .record(z.string(), z.union([z.string(), z.number()]).nullable())
    .describe("What the kind can be told, with defaults; null where there is none."),
});

const preset = z.object({
  group: z.string(),
  title: z.string(),
  text: z.string(),
  fault: z.record(z.string(), z.union([z.string(), z.number()])),
});

/** Every kind of fault as the page offers it: its form and its switches are made of this alone. */
export const faultViewRoute: ControlRoute = route({
  method: "GET",
  path: "/page/fault-kinds",
  summary: "Kinds of faults with what they can be told, and faults that are switched on by click.",
  answer: z.object({ kinds: z.array(kind), presets: z.array(preset) }),
  run: () => json(200, { kinds: Object.entries(FAULT_KINDS).map(describeKind), presets: faultPresets() }),
});

function describeKind([name, { about, parameters }]: [string, FaultDefinition]) {
  return { kind: name, about, parameters };
}
