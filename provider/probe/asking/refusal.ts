import type { DialectSettings } from "../finding";
import type { Answer } from "./answer";

/** Kinds of refusals, in the words of the emulator's switches. */
export type RefusalKind =
  | "unknown"
  | "exists"
  | "absent"
  | "nothingStaged"
  | "refusedEntry"
  | "tooLarge"
  | "userArena"
  | "credentials";

/** Forms that have the status of their kind; all others go with 200. */
const WITH_STATUS = ["json", "text", "html", "code-in-body"];

/** The switches with which the emulator refuses in the same way: status, where the form has one of its own, and form. */
export function refusalSwitches(kind: RefusalKind, answer: Answer): DialectSettings {
  const form = answer.errorForm;
  const status = kind === "tooLarge" ? "capStatus" : `${kind}Status`;
  return { ...(WITH_STATUS.includes(form) && { [status]: answer.codeInBody ?? answer.status }), [`${kind}Form`]: form };
}
