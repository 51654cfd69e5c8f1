import { formatUrl } from "../../model/resource-url";
import { Skipped } from "../asking/outcome";
import { refusalSwitches } from "../asking/refusal";
import { point } from "../point";

/** Nobody calls a set so. */
const NAME = "pulumi-packetfilter-probe-absent";

/** How the node says that it does not know a set. */
export const unknown = point({
  name: "unknown",
  title: "list of an unknown set",
  needs: "lists",
  assumes: 'an error; with `absentSet: "empty"` a 404 is an empty set',
  finds: ["errorForm", "unknownStatus", "unknownForm"],
  ask: async (bench) => {
    const like = bench.targets.sets[0] ?? bench.targets.arenas[0];
    if (!like) throw new Skipped("no url is named");
    const profile = like.kind === "prefixset" && like.profile !== undefined ? { profile: like.profile } : {};
    const url = { kind: "prefixset", arena: like.arena, ...profile, set: NAME } as const;
    const answer = await bench.list(url, { asked: `list ${formatUrl(url)}` });
    bench.learned.unknown = answer;
    return answer;
  },
  judge: (answer) => ({
    node: answer.isRefusal
      ? `an error with status ${answer.status}`
      : "no error: an unknown set looks like one that is there",
    evidence: [answer.evidence],
    ...(!answer.isRefusal && { advice: "check the spelling of sets yourself: a misspelt one is not noticed" }),
  }),
  // Errors that are not seen are taken to look like this one.
  dialect: (answer) => (answer.isRefusal ? { errorForm: answer.errorForm, ...refusalSwitches("unknown", answer) } : {}),
});
