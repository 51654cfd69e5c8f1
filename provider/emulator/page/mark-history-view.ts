import { z } from "zod";
import { MARK_TYPES } from "../../model/mark";
import { type ControlRoute, route } from "../control/route";
import { json } from "../http/reply";

/** Lines that a chart can show and a person still tells apart. */
const LINES = 8;

const line = z.object({
  profile: z.string(),
  type: z.enum(MARK_TYPES),
  id: z.int(),
  look: z.int().describe("Colour and stroke of the line: follows from profile, type and id."),
  values: z.array(z.int().nullable()).describe("Live records at each time; null where nobody counted."),
});

/** The chart of marks: kept by the emulator, so that the page may be loaded anew. */
export const markHistoryRoute: ControlRoute = route({
  method: "GET",
  path: "/page/mark-history",
  summary: "Live marks by profile, type and id over the last five minutes of the virtual clock, the largest lines.",
  query: z.strictObject({ profile: z.string().optional().describe("Url of the only profile to tell of.") }),
  answer: z.object({
    times: z.array(z.number()).describe("Seconds since 1970 of the virtual clock."),
    lines: z.array(line),
  }),
  run: ({ simulation: { markHistory }, query: { profile } }) => {
    markHistory.follow();
    return json(200, markHistory.chart(LINES, profile));
  },
});
