import { linesOf } from "../../../provider/messages/sentences";
import type { CommandRecord, RunRecord, World } from "../simulation";
import { hasSecrets, isGreen } from "./endings";
import { entriesIn } from "./events";
import { canonical, requestsOf } from "./model";
import { namesIn } from "./preview-shows";
import type { Promised } from "./promise";

/** Whatever a run finds and does is printed, for each place with its own prefixes, however the run ends: what nodes have in common may share a line. */
export const eventsArePrinted: Promised = {
  number: 12,
  name: "what has happened is said",
  judge: ({ world, record: { done, preview } }) =>
    hasSecrets(world.scenario) ? [] : [...new Set([preview, done])].flatMap((record) => (record ? unsaid(record) : [])),
};

function unsaid({ events, printed, wasKilled }: CommandRecord): string[] {
  if (wasKilled) return [];
  return events.flatMap(({ event }) =>
    linesOf([event]).flatMap((alone) => {
      const [prefixes, at] = [prefixesIn(alone), event.at !== undefined && alone.includes(event.at) ? event.at : ""];
      const isSaid = (line: string) =>
        (line.includes(at) || / and \d+ more/.test(line)) && prefixes.every((prefix) => namesIn(line, prefix));
      return printed.some(isSaid) ? [] : [`no line says: ${alone}`];
    }),
  );
}

function prefixesIn(line: string): string[] {
  return line.split(/[\s,;()"]+/).flatMap((word) => canonical(word.replace(/[.:]+$/, "")) ?? []);
}

/** A green run names each start and stop whose end no status of it shows. */
export const unseenIsNamed: Promised = {
  number: 12,
  name: "what was not seen is named",
  judge: ({ world, record }) => (isGreen(world, record, true) ? unseenIn(world, record) : []),
};

function unseenIn(world: World, { done }: RunRecord): string[] {
  return world.scenario.receivers.flatMap(({ name }) => {
    const requests = requestsOf(world, done, name);
    const seen = requests.filter(({ op, status, fault }) => op === "status" && status === 200 && fault === undefined);
    return requests.flatMap(({ op, index, data = [] }) => {
      if (op !== "start" && op !== "stop") return [];
      const isSeen = (prefix: string) => seen.some((status) => entriesIn(status).has(prefix) === (op === "start"));
      return data
        .map(String)
        .filter((prefix) => !isSeen(prefix) && !done.printed.some((line) => namesIn(line, prefix)))
        .map((prefix) => `the ${op} of ${prefix} (request ${index}) is shown by no status, and no line names it`);
    });
  });
}
