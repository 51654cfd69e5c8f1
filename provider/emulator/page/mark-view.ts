import { z } from "zod";
import { MARK_TYPES } from "../../model/mark";
import { parseUrl } from "../../model/resource-url";
import { type ControlRoute, route } from "../control/route";
import { json } from "../http/reply";
import type { Contents } from "../state/contents";

/** A table of marks as people look at it: the records with the largest values. */
export const markViewRoute: ControlRoute = route({
  method: "GET",
  path: "/page/marks",
  summary: "The live marks of a profile with the largest values, largest first.",
  query: z.strictObject({
    url: z.string().describe("Of the profile."),
    type: z.enum(MARK_TYPES),
    id: z.coerce.number().int().min(0).optional().describe("Only records with this id."),
    limit: z.coerce.number().int().min(1).max(1_000).optional().describe("Most records, default 100."),
  }),
  answer: z.object({ active: z.int(), expired: z.int(), records: z.array(z.looseObject({ id: z.int() })) }),
  run: ({ simulation, query: { url, type, id, limit = 100 } }) => {
    const marks = marksOf(simulation.contents, url);
    if (!marks) return json(404, { error: `there is no profile ${url}` });
    return json(200, { ...marks.count(type), records: marks.largest(type, limit, id) });
  },
});

function marksOf(contents: Contents, text: string) {
  try {
    const url = parseUrl(text);
    if (url.kind !== "profile" || !contents.holdings.profile(url.arena, url.profile)) return undefined;
    return contents.packetPath.marks(url.arena, url.profile);
  } catch {
    return undefined;
  }
}
