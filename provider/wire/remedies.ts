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
import { forKind, isSign, verdictFor, WHOLE } from "./places";

/** A dotted member and its value. */
export interface Told {
  readonly member: string;
  readonly value: unknown;
}

/** The setting for a list at `path`: `answers.path: "payload"`. Other kinds of lists keep their setting. */
export function pathSetting(answers: Answers | undefined, kind: ListKind, path: string): string {
  // Lists of other kinds need not be the whole answer.
  if (path === WHOLE && answers?.path === undefined) return `answers.path: ${literal({ [kind]: path })}`;
  return `answers.path: ${perKind(answers?.path, kind, path)}`;
}

/** The setting for the format of one kind of list: `answers.format: { marks: "csv" }`. */
export function formatSetting(answers: Answers | undefined, kind: ListKind, format: ListFormat): string {
  return `answers.format: ${perKind<ListFormat>(answers?.format, kind, format)}`;
}

/** The setting for the meaning of fields: `answers.columns: { prefix: 0, value: 1 }`. */
export function columnsSetting(answers: Answers | undefined, kind: ListKind, columns: Columns): string {
  const given = answers?.columns;
  const isForAll = given !== undefined && !LIST_KINDS.some((each) => each in given);
  const own = isForAll ? { [kindOf(given as Columns)]: given } : given;
  return `answers.columns: ${literal({ ...own, [kind]: columns })}`;
}

/** The setting for names of members, beside those that are set already: `answers.names: { prefix: "subnet" }`. */
export function namesSetting(answers: Answers | undefined, given: Answers["names"]): string {
  return `answers.names: ${literal({ ...answers?.names, ...given })}`;
}

/** A sentence for an answer that no known setting reads. */
export const PROBE = 'To find settings that read it, run "pulumi-packetfilter probe" for this node.';

/** A sentence with the setting that makes an answer with this member a success. */
export function successRemedy(answers: Verdicts | undefined, command: string, told: Told): string {
  const { peer, own } = peerOf(command);
  const setting = successSetting(answers, command, told);
  return setting === undefined
    ? "Declare success by answers.success of the receiver."
    : `If this ${peer} says so where all is well, set ${setting}${own}.`;
}

/** A sentence with the setting that accepts an empty list beside such a member. */
export function emptyRemedy(answers: Answers | undefined, told: Told): string {
  return `If this is how the node answers an empty list, set ${successSetting(answers, "list", told)}.`;
}

/** The settings of a node or receiver for success and failure. */
export type Verdicts = Pick<Answers, "success" | "failure"> | Pick<ReceiverAnswers, "success" | "failure">;

/** The setting for a member or header that reports nothing about the list, beside those that are ignored already. */
function ignoreSetting(answers: Answers | undefined, name: string): string {
  return `answers.ignore: ${literal([...(answers?.ignore ?? []), name])}`;
}

/** A sentence with {@link ignoreSetting}. */
export function ignoreRemedy(answers: Answers | undefined, name: string): string {
  return `If the list is whole whatever it says, set ${ignoreSetting(answers, name)}.`;
}

/** Keeps the values that are set already; `undefined` if no setting of a receiver describes the value. */
function successSetting(answers: Verdicts | undefined, command: string, { member, value }: Told): string | undefined {
  const { all, hasReader } = peerOf(command);
  if (typeof value === "object" && value !== null) return hasReader ? 'answers.read: "./your-module.js"' : undefined;
  const given = answers?.success;
  const own = verdictFor(given, command);
  const values = own && "member" in own && own.member === member ? own.values : [];
  const verdict = { member, values: [...values, value] };
  if (given === undefined || (isSign(given) && values.length > 0)) return `answers.success: ${literal(verdict)}`;
  const each = isSign(given) ? Object.fromEntries(all.map((name) => [name, given])) : given;
  return `answers.success: ${literal({ ...each, [command]: verdict })}`;
}

/** The likely kind of list of columns that are set for all kinds. */
function kindOf({ prefix, rangeStart, name }: Columns): ListKind {
  if (prefix !== undefined || rangeStart !== undefined) return "prefixset";
  return name === undefined ? "marks" : "profiles";
}

/** The side that a command belongs to, and the words for its settings. */
function peerOf(command: string) {
  const isReceivers = (OPERATIONS as readonly string[]).includes(command);
  return isReceivers
    ? ({ peer: "receiver", own: " of the receiver", all: OPERATIONS, hasReader: false } as const)
    : ({ peer: "node", own: "", all: COMMANDS, hasReader: true } as const);
}

/** A setting for one kind of list, beside those of other kinds. */
function perKind<T>(given: PerKind<T> | undefined, kind: ListKind, setting: T): string {
  if (given === undefined) return literal(setting);
  const others = LIST_KINDS.map((each) => [each, forKind(given, each)] as const);
  const isForAll = others.every(([, other]) => other === given);
  return literal({ ...(isForAll ? Object.fromEntries(others) : (given as object)), [kind]: setting });
}

/** A value as a program writes it: `{ member: "code", values: [1000] }`. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const parts = Object.entries(value).flatMap(([name, member]) =>
    member === undefined ? [] : [`${name}: ${literal(member)}`],
  );
  return `{ ${parts.join(", ")} }`;
}
