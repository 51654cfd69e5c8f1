import { type Answers, OPERATIONS, type ReceiverAnswers } from "./answers";

/** A dotted member and its value. */
export interface MemberValue {
  readonly member: string;
  readonly value: unknown;
}

/** The settings of a node or receiver for success and failure. */
export type Verdicts = Pick<Answers, "success" | "failure"> | Pick<ReceiverAnswers, "success" | "failure">;

/** The setting of a node or receiver for what stands beside a list. */
export type Ignoring = Pick<Answers, "ignore">;

/** A sentence for an answer that no known setting reads. */
export const PROBE = 'To find settings that read it, run "pulumi-packetfilter probe" for this node.';

/** A sentence with the setting that describes an answer. Its value is not guessed: the probe finds it. */
export function describedBy(setting: "path" | "names" | "columns" | "format"): string {
  return `Describe it by answers.${setting}. ${PROBE}`;
}

/** A sentence with the setting that makes an answer with this member a success. */
export function successRemedy(command: string, value: MemberValue): string | undefined {
  const isReceivers = (OPERATIONS as readonly string[]).includes(command);
  const [peer, own] = isReceivers ? ["receiver", " of the receiver"] : ["node", ""];
  const setting = successSetting(command, value);
  return setting && `If this ${peer} says so where all is well, set ${setting}${own}.`;
}

/** A sentence with the setting that accepts an empty list beside such a member. */
export function emptyRemedy(value: MemberValue): string | undefined {
  const setting = successSetting("list", value);
  return setting && `If this is how the node answers an empty list, set ${setting}.`;
}

/** A sentence with the setting for a member or header that changes nothing, beside those that are ignored already. */
export function ignoreRemedy(answers: Ignoring | undefined, name: string, what = "the list is whole"): string {
  return `If ${what} whatever it says, set ${ignoring(answers, name)}.`;
}

/** The setting that ignores this name, beside those that are ignored already. */
export function ignoring(answers: Ignoring | undefined, name: string): string {
  const names = [...(answers?.ignore ?? []), name].map((one) => JSON.stringify(one)).join(", ");
  return `answers.ignore: [${names}]`;
}

/** The setting for one command; `undefined` for a value that no setting can hold. */
function successSetting(command: string, { member, value }: MemberValue): string | undefined {
  if (typeof value === "object" && value !== null) return undefined;
  return `answers.success.${command}: { member: ${JSON.stringify(member)}, values: [${JSON.stringify(value)}] }`;
}
