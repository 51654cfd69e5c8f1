import { z } from "zod";
import { MARK_TYPES, type MarkType } from "../../model/mark";

/** Names of the actions that fill each table (docs/contributing/contract.md#mark-types). */
export const MARK_ACTIONS = {
  hmark: "shost",
  dhmark: "dhost",
  dmark: "dhost",
  sdhmark: "sdhost",
  connmark: "conn",
} as const;

/** All names of a table: its own, and those of the actions that fill it. */
export type MarkName = MarkType | keyof typeof MARK_ACTIONS;

const NAMES = new Map<string, MarkType>([
  ...MARK_TYPES.map((type) => [type, type] as const),
  ...Object.entries(MARK_ACTIONS),
]);

/** All names in lower case. */
export const MARK_NAMES = [...NAMES.keys()] as MarkName[];

/** The table of a name, in any case; `undefined` for other texts. */
export function markType(name: string): MarkType | undefined {
  return NAMES.get(name.toLowerCase());
}

/** A table by any of its names, in any case. */
export const markTypeSchema = z.preprocess(
  (name) => (typeof name === "string" ? (markType(name) ?? name) : name),
  z.enum(MARK_TYPES),
);

const WORD = `(?:${MARK_TYPES.join("|")})=[^=,\\s]+`;

/** Types with other words for them: `shost=src-host,conn=flow`, or nothing. */
export const MARK_WORDS = new RegExp(`^(?:${WORD}(?:,${WORD})*)?$`);

/** The table of a word, where some types have words of the node's own; `undefined` for other texts. */
export function markTypeIn(words: string, name: string): MarkType | undefined {
  const own = ownWords(words);
  const [named] = [...own].find(([, word]) => word === name) ?? [];
  const usual = markType(name);
  return named ?? (usual !== undefined && !own.has(usual) ? usual : undefined);
}

/** The node's word for a table, where it has one of its own. */
export function markWord(words: string, type: MarkType): string {
  return ownWords(words).get(type) ?? type;
}

function ownWords(words: string): Map<MarkType, string> {
  return new Map(words === "" ? [] : words.split(",").map((pair) => pair.split("=") as [MarkType, string]));
}

/** Any name in any case, without flags, which JSON Schema does not support. */
export const MARK_NAME = new RegExp(`^(${MARK_NAMES.map(anyCase).join("|")})$`);

function anyCase(name: string): string {
  return name.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}
