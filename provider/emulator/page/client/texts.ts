import type { Action, MarkRecord, Match, Overview, Profile, Rule } from "../answers";

/** Numbers with a narrow space between thousands. */
export const number = (value: number) => value.toLocaleString("en-US").replaceAll(",", "\u202f");

export const plural = (count: number, one: string, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

/** The parts that are there, one after the other. */
export const listed = (...parts: readonly (string | false | undefined)[]) => parts.filter(Boolean).join(", ");

/** Whether a text has every word of another one, in any case. */
export function hasWords(text: string, words: string): boolean {
  const within = text.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => within.includes(word));
}

const UNITS = ["B", "KiB", "MiB", "GiB"] as const;

export function bytes(value: number): string {
  const unit = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(value, 1)) / 10)));
  const scaled = value / 1024 ** unit;
  return `${unit === 0 || scaled >= 100 ? Math.round(scaled) : scaled.toFixed(1)}\u202f${UNITS[unit]}`;
}

const SPANS = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
  [1, "s"],
] as const;

/** Seconds for people, in the two largest units: `59 min 20 s`. */
export function duration(seconds: number): string {
  let left = Math.round(seconds);
  const parts = SPANS.map(([size, unit]) => {
    const amount = Math.floor(left / size);
    left %= size;
    return amount > 0 && `${amount} ${unit}`;
  });
  const first = parts.findIndex(Boolean);
  return first < 0
    ? "0 s"
    : parts
        .slice(first, first + 2)
        .filter(Boolean)
        .join(" ");
}

const OPERATORS: Record<string, string> = { eq: "=", ne: "≠", lt: "<", le: "≤", gt: ">", ge: "≥" };

type Comparison = NonNullable<NonNullable<Match["set"]>["value"]>;

function comparison(value: Comparison): string {
  if (typeof value === "number") return `= ${value}`;
  return Object.entries(value)
    .map(([name, operand]) => `${OPERATORS[name] ?? name} ${operand}`)
    .join(" and ");
}

const list = (value: unknown) => [value].flat().join(", ");

/** Each member of a match in words. */
const MATCH_TEXTS: { readonly [Name in keyof Match]-?: (value: NonNullable<Match[Name]>) => string } = {
  source: (value) => `from ${list(value)}`,
  destination: (value) => `to ${list(value)}`,
  protocol: (value) => `protocol ${list(value)}`,
  sourcePort: (value) => `source port ${list(value)}`,
  destinationPort: (value) => `port ${list(value)}`,
  flags: ({ set = [], unset = [] }) => `flags ${[...set, ...unset.map((flag) => `not ${flag}`)].join(", ")}`,
  length: ({ min, max }) =>
    `length ${min !== undefined && max !== undefined ? `${min} to ${max}` : min === undefined ? `≤ ${max}` : `≥ ${min}`}`,
  set: ({ name, scope, of = "source", value }) =>
    `${of} in ${scope ? `${scope} ` : ""}set ${name}${value === undefined ? "" : ` with value ${comparison(value)}`}`,
  mark: ({ type, id, value }) =>
    `marked ${type}${id === undefined ? "" : ` ${id}`}${value === undefined ? "" : ` with value ${comparison(value)}`}`,
  rate: ({ above, per = "source", unit = "packets", window = 1 }) =>
    `above ${number(above)} ${unit} in ${window} s per ${per}`,
  not: (match) => `not (${matchText(match)})`,
};

function matchText(match: Match): string {
  return Object.entries(match)
    .map(([name, value]) => MATCH_TEXTS[name as keyof Match](value as never))
    .join(", ");
}

export function whenText({ match = [], extra }: Rule): string {
  if (match.length > 0) return match.map(matchText).join("; ");
  return extra ? JSON.stringify(extra) : "every packet";
}

export const actionText = (action: Action): string => {
  if (typeof action === "string") return action;
  return Object.entries(action)
    .map(([name, { id, set, max, add = 1, lifetime }]) => {
      const value = set !== undefined ? `= ${set}` : max !== undefined ? `≥ ${max}` : `+ ${add}`;
      return `${name}${id === undefined ? "" : ` ${id}`} ${value}${lifetime === undefined ? "" : ` for ${duration(lifetime)}`}`;
    })
    .join(", ");
};

/** The id of marks, and the name of the rule that makes them. */
export function ruleText(profile: Profile | undefined, id: number): string {
  const found = profile?.rules.find(({ rule }) => {
    const ids = (rule.actions ?? []).flatMap((action) => (typeof action === "string" ? [] : Object.values(action)));
    return ids.some((mark) => mark.id === id) || rule.id === id;
  });
  return `${id} ${found?.rule.name ?? ""}`;
}

export function markKey({ address, source, destination, sourcePort, destinationPort, protocol }: MarkRecord): string {
  if (address !== undefined) return address;
  const end = (host: string | undefined, port: number | undefined) =>
    port === undefined ? host : `${host} port ${port}`;
  return `${end(source, sourcePort)} → ${end(destination, destinationPort)}${protocol === undefined ? "" : `, ${protocol}`}`;
}

/** Source of the answers of an API that nothing replaces. */
export const OWN = "answered by the emulator";

/** Text that names the source of answers of an API: the emulator itself, or another. */
export function answeredBy(sources: Overview["sources"], api: "node" | "signaling"): string {
  const { proxy, proxySignaling, replay, replayed, unseen } = sources;
  const upstream = api === "node" ? proxy : proxySignaling;
  if (upstream !== undefined) return `answered by ${upstream}`;
  if (!replayed?.includes(api)) return OWN;
  const rest = unseen === "emulate" ? "answered by the emulator" : "refused";
  return `answered from the recording ${replay}; what is not in it is ${rest}`;
}

/** `edge/web` of `profile://edge/web`. */
export const shortUrl = (url: string) => url.replace(/^[a-z]+:\/\//, "");
