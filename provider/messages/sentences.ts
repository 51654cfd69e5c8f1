import { groupBy } from "../model/group";
import { compareNames, some } from "../model/text";
import type { AnyEvent, EventKind } from "./events";
import { GROUPS } from "./sentences/groups";
import { LOOKS } from "./sentences/looks";
import { PLANS } from "./sentences/plans";
import { SIGNALINGS } from "./sentences/signalings";
import type { Sentence, Sentences } from "./sentences/words";
import { WRITES } from "./sentences/writes";

/** The one place that makes sentences of events. */
const SENTENCES: Sentences<EventKind> = { ...WRITES, ...LOOKS, ...PLANS, ...GROUPS, ...SIGNALINGS };

/**
 * The lines about events, those about the most nodes first, in whatever order they came. Events of equal kind and content at
 * several nodes share a sentence, which names a few nodes.
 */
export function linesOf(events: readonly AnyEvent[]): string[] {
  const [only] = events;
  if (only && events.length === 1) return sentenceOf([only], only.at);
  const folds = [...groupBy(events, contentOf).values()].map((all) => {
    const names = new Set(all.flatMap(({ at }) => at ?? []));
    const sorted = all.toSorted((a, b) => compareNames(a.at ?? "", b.at ?? ""));
    const where = names.size > 0 ? some([...names].sort(compareNames)) : undefined;
    return { nodes: names.size, lines: sentenceOf(sorted, where) };
  });
  folds.sort((a, b) => b.nodes - a.nodes || compareNames(a.lines[0] ?? "", b.lines[0] ?? ""));
  return folds.flatMap(({ lines }) => lines);
}

/** Equal for events that share a sentence: the sentence itself, without the node. */
function contentOf(event: AnyEvent): string {
  const sentence = makerOf(event);
  const text = typeof sentence === "function" ? sentenceOf([event], "") : [event.url, sentence.common(event)];
  return JSON.stringify([event.kind, ...text]);
}

function sentenceOf(all: readonly [AnyEvent, ...AnyEvent[]] | AnyEvent[], where: string | undefined): string[] {
  const [event] = all;
  if (!event) return [];
  const sentence = makerOf(event);
  return [typeof sentence === "function" ? sentence(event, where) : sentence.each(all)].flat();
}

function makerOf({ kind }: AnyEvent): Sentence<EventKind> {
  return SENTENCES[kind] as Sentence<EventKind>;
}
