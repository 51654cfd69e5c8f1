import { z } from "zod";
import { BODILESS } from "../http/reply";
import { answerText, choice, type Switch } from "./switch";

/** Forms of an error, each with its mark of an error. The first is the default. */
const FORMS = [
  "json",
  "json-200",
  "status-200",
  "success-200",
  "code-200",
  "code-in-body",
  "text",
  "text-200",
  "html",
] as const;

export type ErrorForm = (typeof FORMS)[number];

/** Forms that differ from a success only by their status: a text, or a page that a proxy could have sent. */
const FORMS_BY_STATUS: readonly ErrorForm[] = ["text", "html"];

/** Forms with the status of their kind; all others have 200. */
const WITH_STATUS: readonly ErrorForm[] = ["json", ...FORMS_BY_STATUS];

/** Switch for the form of a kind; `same` is that of `errorForm`. */
const form = (about: string) => choice(["same", ...FORMS], `Form of the error ${about}; same: as errorForm.`);

/** Switch for the status of a kind. No alternative is below 400, since only some forms mark an error in the body. */
const status = (normal: number, alternatives: number[], about: string) => ({
  schema: z
    .int()
    .min(200)
    .max(599)
    .default(normal)
    .describe(`Status of the error ${about}, if its form has no fixed status.`),
  alternatives,
});

/** Each kind of refusal: its usual status, other ones, and its purpose. */
const KINDS = {
  unknown: [404, [400, 410], "for an arena, profile, set or table that does not exist"],
  exists: [400, [409], "for an insert of an existing entry (insertExisting: error)"],
  absent: [400, [404], "for a delete of an absent entry (deleteAbsent: error)"],
  nothingStaged: [400, [409], "for a commit without staged changes (emptyCommit: error)"],
  refusedEntry: [400, [422], "for an entry that is not accepted"],
  tooLarge: [413, [400], "for a request with too many data items or bytes"],
  userArena: [400, [403], "for a list of marks without its User-Arena"],
  credentials: [401, [403], "for missing or wrong credentials"],
} as const;

/** Reasons for which the node API refuses a well-formed request. */
export type RefusalKind = keyof typeof KINDS;

const statusSwitch = <Kind extends RefusalKind>(kind: Kind) =>
  (kind === "tooLarge" ? "capStatus" : `${kind}Status`) as Kind extends "tooLarge" ? "capStatus" : `${Kind}Status`;
const formSwitch = <Kind extends RefusalKind>(kind: Kind) => `${kind}Form` as const;
const textSwitch = <Kind extends RefusalKind>(kind: Kind) => `${kind}Text` as const;

const errorText = (about: string) =>
  answerText(`the error ${about}`, "{message} and {status} stand for its words and its status");

type KindSwitches = {
  [Kind in RefusalKind as ReturnType<typeof statusSwitch<Kind>>]: ReturnType<typeof status>;
} & { [Kind in RefusalKind as ReturnType<typeof formSwitch<Kind>>]: ReturnType<typeof form> } & {
  [Kind in RefusalKind as ReturnType<typeof textSwitch<Kind>>]: ReturnType<typeof errorText>;
};

/** Switches for refusals of the node API: status and form of each kind (docs/contributing/contract.md#node-answers). */
export const REFUSAL_SWITCHES = {
  errorForm: choice(
    FORMS,
    "Form of node API errors: JSON member error with a status, one of five JSON forms with status 200 (code-in-body has the status of its kind as its code), plain text, the text error: … with status 200, or a page of HTML.",
  ),
  errorText: errorText("of any kind without a text or form of its own"),
  ...(Object.fromEntries(
    Object.entries(KINDS).flatMap(([kind, [normal, alternatives, about]]) => [
      [statusSwitch(kind as RefusalKind), status(normal, [...alternatives], about)],
      [formSwitch(kind as RefusalKind), form(about)],
      [textSwitch(kind as RefusalKind), errorText(about)],
    ]),
  ) as KindSwitches),
} satisfies Record<string, Switch>;

type Settings = { [K in keyof typeof REFUSAL_SWITCHES]: z.output<(typeof REFUSAL_SWITCHES)[K]["schema"]> };

/** The status, form and text of a kind of refusal. */
export function refusalStyle(kind: RefusalKind, settings: Settings): RefusalStyle {
  const own = settings[formSwitch(kind)];
  return {
    status: settings[statusSwitch(kind)],
    form: own === "same" ? settings.errorForm : own,
    text: settings[textSwitch(kind)] || (own === "same" ? settings.errorText : ""),
  };
}

/** A `text` that is not empty takes the place of the form. */
interface RefusalStyle {
  readonly status: number;
  readonly form: ErrorForm;
  readonly text: string;
}

/** Refusals that would read as successes, a sentence for each. Such a dialect is refused, since no client could know its effect. */
export function silentRefusals(settings: Settings): { path: string; message: string }[] {
  return (Object.keys(KINDS) as RefusalKind[]).flatMap((kind) => {
    const { status, form, text } = refusalStyle(kind, settings);
    const silent = text === "" ? silence(status, form) : silentText(status, text);
    if (silent === undefined) return [];
    return [{ path: statusSwitch(kind), message: `${silent}, or another ${formSwitch(kind)}, such as "json-200"` }];
  });
}

/** As {@link silence}, of a text of its own. Any but that of a success can be a refusal by the settings of a client. */
export function silentText(status: number, text: string): string | undefined {
  if (BODILESS.includes(status)) return silence(status, "text");
  return status < 400 && /^\s*ok\s*$/i.test(text) ? silence(status, "text") : undefined;
}

/** Reason why a client would read such an answer as a success, and a status that prevents it. */
function silence(status: number, form: ErrorForm): string | undefined {
  if (!WITH_STATUS.includes(form)) return undefined;
  if (BODILESS.includes(status)) {
    return `the refusal would read as a success, since an answer with status ${status} has no body: write another status`;
  }
  if (status >= 400 || !FORMS_BY_STATUS.includes(form)) return undefined;
  return `the refusal would read as a success, since ${form} with status ${status} has no mark of an error: write a status from 400 on`;
}
