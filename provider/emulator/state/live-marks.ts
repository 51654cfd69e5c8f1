import { MARK_TYPES } from "../../model/mark";
import { formatUrl } from "../../model/resource-url";
import type { MarkCount } from "../marks/mark-history";
import type { Contents } from "./contents";

/** How many live records each profile has, by type and id. */
export function* liveMarks({ holdings, packetPath }: Contents): Generator<MarkCount, void> {
  for (const [arena, { profiles }] of holdings.arenas) {
    for (const name of profiles.keys()) {
      const profile = formatUrl({ kind: "profile", arena, profile: name });
      const marks = packetPath.marks(arena, name);
      for (const type of MARK_TYPES) {
        for (const [id, records] of marks.ids(type)) if (records > 0) yield { profile, type, id, records };
      }
    }
  }
}
