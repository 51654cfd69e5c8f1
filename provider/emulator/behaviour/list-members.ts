import { MARK_TYPES } from "../../model/mark";
import { memberNames } from "../marks/mark-format";
import type { Dialect } from "./schema-types";

/** Members that mark a successful request or a complete list. */
export const VERDICTS = {
  status: () => ({ status: "ok" }),
  count: (count: number) => ({ count }),
  code: () => ({ code: 0, msg: "ok" }),
  "code-1000": () => ({ code: 1000, message: "Command completed successfully" }),
} satisfies Record<Exclude<Dialect["listVerdict"], "none">, (count: number) => object>;

/** The members of an entry of a set, in order. */
export function entryMembers(dialect: Dialect): string[] {
  const { prefixKey, valueKey, lengthKey, addressForm, rangeStartKey, rangeEndKey } = dialect;
  if (addressForm === "range") return [rangeStartKey, rangeEndKey, valueKey];
  if (lengthKey === "none" && addressForm === "text") return [prefixKey, valueKey];
  return [prefixKey, lengthName(lengthKey), valueKey];
}

export function lengthName(lengthKey: string): string {
  return lengthKey === "none" ? "len" : lengthKey;
}

/** Names that two members of one record or answer have, as switch and message. No reader could keep the two apart. */
export function sharedNames(dialect: Dialect): { path: string; message: string }[] {
  const { listVerdict, nameKey, idKey, markKeys, markAge, markExpired } = dialect;
  const marks = memberNames(markKeys);
  const inMark = ["id", "value", "lifetime", ...shown("age", markAge), ...shown("status", markExpired)];
  const verdict = listVerdict === "none" ? [] : Object.keys(VERDICTS[listVerdict](0));
  const records: [path: string, record: string, names: readonly (string | undefined)[]][] = [
    ["prefixKey", "an entry", entryMembers(dialect)],
    ["nameKey", "a rule", [nameKey, idKey, "match", "actions"]],
    ...MARK_TYPES.map((type): (typeof records)[number] => {
      return ["markKeys", `a mark of ${type}`, [...inMark, ...IN_KEY[type]].map((member) => marks[member])];
    }),
    ...(["listEnvelope", "profilesEnvelope", "rulesEnvelope", "marksEnvelope"] as const).map(
      (path): (typeof records)[number] => [path, "an answer", [...verdict, outermost(dialect[path])]],
    ),
  ];
  return records.flatMap(([path, record, names]) => {
    const twice = names.find((name, at) => names.indexOf(name) !== at);
    return twice === undefined ? [] : [{ path, message: `two members of ${record} would have the name "${twice}"` }];
  });
}

/** Name in the outermost object of an envelope; `0` is an array. */
const outermost = (envelope: string) => envelope.split(".").find((name) => name !== "0");
const shown = (member: string, setting: "hidden" | "shown") => (setting === "shown" ? [member] : []);

/** Members of a mark that are its key, in order. */
export const IN_KEY = {
  shost: ["address"],
  dhost: ["address"],
  sdhost: ["source", "destination"],
  conn: ["source", "destination", "sourcePort", "destinationPort", "protocol"],
} as const;
