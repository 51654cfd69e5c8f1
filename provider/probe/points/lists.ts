import { formatUrl, nameProblem, type PrefixSetUrl } from "../../model/resource-url";
import type { Answers } from "../../wire/answers";
import { PROBE } from "../../wire/remedies";
import { type Answer, errorSwitches, refusalSwitches } from "../asking/answer";
import type { Bench } from "../asking/bench";
import { ABSENT } from "../asking/learned";
import { readListed, whyUnread } from "../asking/listing";
import { Moot, OWN_READER, Skipped, UNREADABLE, Unclear, Unusable } from "../asking/outcome";
import { solve } from "../asking/search";
import { type Conclusion, type Point, pointsNeeding, settlesLists } from "../point";
import { entryShape, membersText } from "../shapes/entry-shape";
import { isHollow, unreadRows } from "../shapes/list-place";
import { askRecords, hasNumbers, judgedRecords, keepRead, nameOf, settingsOf } from "./records";

const points = pointsNeeding("lists");

const TRY = "--write finds out what its members mean, or --write --keep if the set is not empty";

export const setLists: readonly Point[] = points(
  {
    name: "set-list",
    title: "list of a set",
    assumes: "entries under usual names, texts, pairs or keyed by prefix, in any natural envelope",
    settles: settlesLists("prefixset", "prefix", "prefixLength", "value", "rangeStart", "rangeEnd"),
    ask: async (bench) => {
      const { learned } = bench;
      const { url, answer } = await firstFilled(bench);
      if (answer.isRefusal && answer.doubt === undefined) {
        if (bench.work) throw new Moot(`${formatUrl(url)} is refused: ${answer.quote}`);
        throw new Unclear(`${formatUrl(url)} is refused`, [answer]);
      }
      const reading = readListed({ answer, url }, learned.answers);
      const evidence = [answer];
      if (isHollow(answer) && reading.kind !== "done") return nothingIn("", [answer]);
      const found = solve({ answer, url, before: learned.answers });
      if (!found) {
        const why = reading.kind === "done" ? "it is not understood" : whyUnread(reading);
        const rows = unreadRows(answer);
        if (rows !== undefined) throw new Unusable(UNREADABLE, rows, OWN_READER, evidence);
        if (reading.kind !== "done" && reading.remedy !== undefined && reading.remedy !== PROBE)
          return { is: "unread", as: "unknown", node: why, evidence, advice: TRY, unseen: true };
        throw new Unusable(UNREADABLE, why, OWN_READER, evidence);
      }
      const { known, list, place, where } = keepRead(bench, { answer, url }, found);
      const settings = settingsOf(known);
      if (list.length === 0) return { ...nothingIn(where, evidence), settings };
      const one = list.find(({ prefix }) => prefix.size === 1n);
      const single = one && (/\/(32|128)$/.test(one.spelling) ? "cidr" : "bare");
      const names = place ? `; ${membersText(entryShape(place))}` : "";
      const spelling = single && `; single addresses ${single === "cidr" ? "with /32" : "without a length"}`;
      const node = `${list.length} entries of ${formatUrl(url)}, ${where}${names}${spelling ?? ""}`;
      return { is: "read", as: "setting", node, evidence, settings, dialect: { singleAddress: single } };
    },
  },
  {
    name: "unknown",
    title: "list of an unknown set",
    assumes: 'an error; with `answers.absent: "empty"` a 404 is an empty set',
    ask: async (bench) => {
      const like = bench.first;
      const profile = like.kind === "prefixset" && like.profile !== undefined ? { profile: like.profile } : {};
      const url = { kind: "prefixset", arena: like.arena, ...profile, set: ABSENT } as const;
      const { learned } = bench;
      const answer = await bench.list(url, { asked: `list ${formatUrl(url)}` });
      learned.unknown = answer;
      const evidence = [answer];
      return () => {
        const { kind } = readListed({ answer, url }, learned.answers);
        if (kind === "done") {
          const node = "no error: an unknown set looks like one that is there";
          const advice = "check the spelling of sets yourself: a misspelt one is not noticed";
          return { is: "list", as: "beyond", node, advice, evidence };
        }
        if (!answer.isRefusal) {
          const node = "an answer that is not a list, which counts as an error";
          return { is: "unlike", as: "unknown", node, evidence };
        }
        // Errors that were not seen are assumed to look like this one.
        const dialect = {
          ...errorSwitches(answer),
          ...refusalSwitches("unknown", answer),
          ...absentText(answer, learned.answers),
        };
        return { is: "error", as: "dialect", node: `an error with status ${answer.status}`, evidence, dialect };
      };
    },
  },
);

export const recordLists: readonly Point[] = points(
  {
    name: "profiles",
    title: "list of profiles",
    assumes: "names under `name` or `profile`, or plain texts, in any natural envelope",
    settles: settlesLists("profiles", "name"),
    ask: async (bench) => {
      const [url] = bench.targets.arenas;
      const records = await askRecords(bench, url);
      const [first] = records.list;
      if (url && first && nameProblem(first.name) === undefined) bench.targets.offer(url.arena, first.name);
      const names = records.list.map(({ name }) => name);
      bench.learned.profiles = names;
      const what = `${names.length} (${names.slice(0, 3).join(", ")})`;
      return judgedRecords(records, what, { nameKey: nameOf(records.first, names[0]) });
    },
  },
  {
    name: "rules",
    title: "list of rules",
    assumes: "records with `id` and `name`, or lines of text, in any natural envelope",
    settles: settlesLists("rules", "id"),
    ask: async (bench) => {
      const [url] = bench.targets.profiles;
      const records = await askRecords(bench, url);
      const identified = records.list.filter((rule) => rule.id !== undefined).length;
      const [rule] = records.list;
      const idKey = nameOf(records.first, rule?.exact?.id ?? rule?.id);
      const isPart = identified === 0 && records.list.some(hasNumbers);
      return judgedRecords(records, `${records.list.length}, ${identified} with an id`, { idKey }, isPart);
    },
  },
);

/** The text of the answer, where the setting for unknown sets looks into it and the emulator has other words. */
function absentText({ status, body }: Answer, { absent }: Answers) {
  const isNamed = typeof absent === "object" && !("status" in absent) && !/unknown prefix-set/.test(body);
  return isNamed ? { unknownStatus: status, unknownText: body } : {};
}

/** The first named set with entries, which alone show their form, else the first one. @throws {Skipped} */
async function firstFilled(bench: Bench) {
  let first: { readonly url: PrefixSetUrl; readonly answer: Answer } | undefined;
  for (const url of bench.targets.sets) {
    const answer = await bench.list(url, { asked: `list ${formatUrl(url)}` });
    first ??= { url, answer };
    if (!answer.isRefusal && !isHollow(answer)) return { url, answer };
  }
  if (first) return first;
  throw new Skipped("no set is named");
}

function nothingIn(where: string, evidence: readonly Answer[]): Conclusion & { readonly as: "setting" } {
  const node = `nothing is in it, so its entries were not seen${where && `; ${where}`}`;
  return { is: "none", as: "setting", node, evidence, unseen: true };
}
