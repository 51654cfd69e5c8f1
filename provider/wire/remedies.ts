import {
  type Answers,
  COMMANDS,
  type Columns,
  LIST_KINDS,
  type ListFormat,
  type ListKind,
  OPERATIONS,
  type PerKind,
  type ReceiverAnswers,
} from "./answers";
import { forKind, verdictFor, WHOLE } from "./places";

/** A member with dots, and what stands there. */
export interface Told {
  readonly member: string;
  readonly value: unknown;
}

/** The setting that makes a list be looked for at `path`: `answers.path: "payload"`. Other kinds keep what is set for them. */
export function pathSetting(answers: Answers | undefined, kind: ListKind, path: string): string {
  // The whole answer is a list of one kind only: lists of another have their own way to be found.
  if (path === WHOLE && answers?.path === undefined) return `answers.path: ${literal({ [kind]: path })}`;
  return `answers.path: ${perKind(answers?.path, kind, path)}`;
}

/** The setting for a kind of list that is written in another format than the others: `answers.format: { marks: "csv" }`. */
export function formatSetting(answers: Answers | undefined, kind: ListKind, format: ListFormat): string {
  return `answers.format: ${perKind<ListFormat>(answers?.format, kind, format)}`;
}

/** The setting that says what the fields of rows mean: `answers.columns: { prefix: 0, value: 1 }`. */
export function columnsSetting(answers: Answers | undefined, kind: ListKind, columns: Columns): string {
  const given = answers?.columns;
  const isForAll = given !== undefined && !LIST_KINDS.some((each) => each in given);
  const own = isForAll ? { [kindOf(given as Columns)]: given } : given;
  return `answers.columns: ${literal({ ...own, [kind]: columns })}`;
}

/** The setting that names members, those that are named already included: `answers.names: { prefix: "subnet" }`. */
export function namesSetting(answers: Answers | undefined, given: Answers["names"]): string {
  return `answers.names: ${literal({ ...answers?.names, ...given })}`;
}

/** A sentence: the setting that makes an answer with this member a success. */
export function successRemedy(answers: Verdicts | undefined, command: string, told: Told): string {
  const { peer, own } = peerOf(command);
  const setting = successSetting(answers, command, told);
  return setting === undefined
    ? "Say what means success by answers.success of the receiver."
    : `If this ${peer} says so where all is well, set ${setting}${own}.`;
}

/** A sentence: the setting that makes an empty list beside such a member one. */
export function emptyRemedy(answers: Answers | undefined, told: Told): string {
  return `If this node answers an empty list so, set ${successSetting(answers, "list", told)}.`;
}

/** The settings of a node or receiver that say what a success is. */
export type Verdicts = Pick<Answers, "success" | "failure"> | Pick<ReceiverAnswers, "success" | "failure">;

/** A sentence for a list that is whole beside a header that counts something else. */
export const COUNTS_OTHERS =
  'If it counts something else, say what tells that a list goes on: answers.more: { header: "…" }.';

/** Values that mean success already stay; `undefined` where no setting of a receiver describes the value. */
function successSetting(answers: Verdicts | undefined, command: string, { member, value }: Told): string | undefined {
  const { all, hasReader } = peerOf(command);
  if (typeof value === "object" && value !== null) return hasReader ? 'answers.read: "./your-module.js"' : undefined;
  const given = answers?.success;
  const own = verdictFor(given, command);
  const values = own?.member === member ? own.values : [];
  const verdict = { member, values: [...values, value] };
  if (given === undefined || ("member" in given && own?.member === member))
    return `answers.success: ${literal(verdict)}`;
  const each = "member" in given ? Object.fromEntries(all.map((name) => [name, given])) : given;
  return `answers.success: ${literal({ ...each, [command]: verdict })}`;
}

/** The kind of list that columns are about which are set for all kinds alike. */
function kindOf({ prefix, rangeStart, name }: Columns): ListKind {
  if (prefix !== undefined || rangeStart !== undefined) return "prefixset";
  return name === undefined ? "marks" : "profiles";
}

/** Whose command it is, and how settings of that side are named. */
function peerOf(command: string) {
  const isReceivers = (OPERATIONS as readonly string[]).includes(command);
  return isReceivers
    ? ({ peer: "receiver", own: " of the receiver", all: OPERATIONS, hasReader: false } as const)
    : ({ peer: "node", own: "", all: COMMANDS, hasReader: true } as const);
}

/** A setting for one kind of list: where one is set for another kind, or for all of them, that stays. */
function perKind<T>(given: PerKind<T> | undefined, kind: ListKind, setting: T): string {
  if (given === undefined) return literal(setting);
  const others = LIST_KINDS.map((each) => [each, forKind(given, each)] as const);
  const isForAll = others.every(([, other]) => other === given);
  return literal({ ...(isForAll ? Object.fromEntries(others) : (given as object)), [kind]: setting });
}

/** As one writes it in a program: `{ member: "code", values: [1000] }`. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const parts = Object.entries(value).flatMap(([name, member]) =>
    member === undefined ? [] : [`${name}: ${literal(member)}`],
  );
  return `{ ${parts.join(", ")} }`;
}
