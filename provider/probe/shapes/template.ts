/** Fields of a record by name, each as a list may spell it. */
export type Fields = Readonly<Record<string, string | undefined>>;

/** A token is a field of the record before it or after it, or the same in all records. */
type Part = { readonly of: "this" | "next"; readonly name: string } | string;

/**
 * Derives the emulator's template of a list from its text and the records that were read from it, in order. `undefined` if the
 * text is not the same around each of them.
 *
 * @param empty Text of the empty list, if one was seen.
 */
export function templateOf(body: string, records: readonly Fields[], empty?: string): string | undefined {
  const [first] = records;
  const last = records.at(-1);
  if (!first || !last || records.length < 2 || isLikeTemplate(`${body}${empty}`)) return undefined;
  for (const anchor of Object.keys(first)) {
    const places = placesOf(body, records, anchor);
    if (!places) continue;
    const gaps = places.slice(1).map(({ from }, at) => tokensOf(body.slice(places[at]?.to, from)));
    const gap = commonOf(gaps, records);
    if (!gap) continue;
    const head = tokensOf(body.slice(0, places[0]?.from));
    const tail = tokensOf(body.slice(places.at(-1)?.to));
    const isPart = (part: Part | undefined, token: string | undefined, of: "this" | "next", record: Fields) =>
      typeof part === "object" ? part.of === of && record[part.name] === token : part !== undefined && part === token;
    let before = 0;
    while (before < gap.length && isPart(gap.at(-1 - before), head.at(-1 - before), "next", first)) before++;
    let after = 0;
    while (after < gap.length - before && isPart(gap[after], tail[after], "this", last)) after++;
    const between = gap.slice(after, gap.length - before);
    if (between.some((part) => typeof part === "object")) continue;
    const rest = [head.slice(0, head.length - before), tail.slice(after)].map((tokens) =>
      tokens.map((token) => (token === String(records.length) ? "{count}" : token)).join(""),
    );
    const [start = "", end = ""] = rest;
    const record = `${textOf(gap.slice(gap.length - before))}{${anchor}}${textOf(gap.slice(0, after))}`;
    return [start, record, between.join(""), end, empty ?? `${start}${end}`].join("{|}");
  }
  return undefined;
}

function textOf(parts: readonly Part[]): string {
  return parts.map((part) => (typeof part === "object" ? `{${part.name}}` : part)).join("");
}

/** Places of a field of each record, in order, as words of their own. */
function placesOf(body: string, records: readonly Fields[], name: string) {
  const places: { from: number; to: number }[] = [];
  for (const { [name]: text } of records) {
    if (text === undefined || text === "") return undefined;
    let from = body.indexOf(text, places.at(-1)?.to ?? 0);
    while (from >= 0 && (WORD.test(body.charAt(from - 1)) || WORD.test(body.charAt(from + text.length))))
      from = body.indexOf(text, from + 1);
    if (from < 0) return undefined;
    places.push({ from, to: from + text.length });
  }
  return places;
}

const WORD = /[\w.:]/;

function tokensOf(text: string): string[] {
  return text.split(/([\w.:]+)/).flatMap((token, at) => (at % 2 === 0 ? [...token] : [token]));
}

/** The text between neighbours, with the fields of both; `undefined` if it is not alike. */
function commonOf(gaps: readonly string[][], records: readonly Fields[]): Part[] | undefined {
  const [first = []] = gaps;
  if (gaps.some(({ length }) => length !== first.length)) return undefined;
  const parts = first.map((token, at): Part | undefined => {
    const isField = (name: string, step: number) =>
      gaps.every((gap, index) => gap[at] === records[index + step]?.[name]);
    if (gaps.every((gap) => gap[at] === token) && !/\w/.test(token)) return token;
    const names = Object.keys(records[0] ?? {});
    const own = names.find((name) => isField(name, 0));
    if (own !== undefined) return { of: "this", name: own };
    const next = names.find((name) => isField(name, 1));
    if (next !== undefined) return { of: "next", name: next };
    return gaps.every((gap) => gap[at] === token) ? token : undefined;
  });
  return parts.includes(undefined) ? undefined : (parts as Part[]);
}

/**
 * The emulator's text of an answer: `{count}` stands where each has its own number. Where they differ otherwise, as in times,
 * it is that of the first one. `undefined` for no answer, for one without a text, and for one that no template repeats.
 */
export function countedText(answers: readonly { readonly body: string; readonly count: number }[]): string | undefined {
  const [first, ...others] = answers.map(({ body, count }) => ({ tokens: body.split(/(\d+)/), count }));
  if (first === undefined || first.tokens.join("").trim() === "") return undefined;
  const isCount = (at: number) => [first, ...others].every(({ tokens, count }) => tokens[at] === String(count));
  const differs = new Set([first, ...others].map(({ count }) => count)).size > 1;
  const text = first.tokens.map((token, at) => (differs && isCount(at) ? "{count}" : token)).join("");
  return isLikeTemplate(text.replaceAll("{count}", "")) ? undefined : text;
}

/** True for a text with a word in braces, in which the emulator would read a field: no template repeats it. */
export function isLikeTemplate(text: string): boolean {
  return /\{\w+\}/.test(text);
}
