import type { MarkType } from "../../model/mark";
import type { Answers } from "../../wire/answers";
import { markNames } from "../../wire/mark-names";

/** The emulator's names of members of marks: the short ones, and the long ones. */
const SHORT: Readonly<Record<string, string>> = {
  address: "a",
  source: "src",
  destination: "dst",
  sourcePort: "sport",
  destinationPort: "dport",
  protocol: "proto",
  id: "id",
  value: "v",
  lifetime: "t",
  age: "age",
  status: "status",
};
const LONG: typeof SHORT = {
  ...SHORT,
  address: "addr",
  source: "saddr",
  destination: "daddr",
  value: "value",
  lifetime: "lifetime",
};

/** A record of a table, as it came. */
export interface RawMark {
  readonly type: MarkType;
  readonly record: Readonly<Record<string, unknown>>;
}

/** The switch `markKeys` with which the emulator names members so: `short`, `long`, or the short ones but for some. */
export function markKeys(records: readonly RawMark[], answers: Answers): string {
  const names = new Map<string, string>();
  for (const { type, record } of records) {
    const { meet } = markNames(type, answers);
    for (const name of Object.keys(record)) {
      const field = meet(name);
      if (field && !names.has(field.name)) names.set(field.name, name);
    }
  }
  const other = (usual: typeof SHORT) => [...names].filter(([member, name]) => usual[member] !== name);
  if (other(SHORT).length === 0) return "short";
  if (other(LONG).length === 0) return "long";
  return other(SHORT)
    .map(([member, name]) => `${member}=${name}`)
    .join(",");
}
