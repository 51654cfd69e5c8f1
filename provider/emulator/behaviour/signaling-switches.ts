import { silentText } from "./refusal-switches";
import { amount, answerText, choice, named } from "./switch";

/** Switches of the signaling receiver (docs/contributing/contract.md#signaling-api). */
export const SIGNALING_SWITCHES = {
  signalingErrors: choice(
    ["status", "text-200", "json", "json-message", "json-detail", "json-200"],
    "Form of signaling errors: text with a status, text with status 200, JSON member error, message or detail with a status, JSON member error with status 200.",
  ),
  statusWrongSecret: choice(
    ["error", "not-found", "empty"],
    "Answer to status with a wrong secret: the error, 404, or an empty list.",
    ["empty"],
  ),
  signalingPartial: choice(
    ["all-or-nothing", "valid-ones", "before"],
    "Start or stop of several prefixes if one is not possible; valid-ones carries out the others, and before those before it, and both answer the error.",
  ),
  signalingAddress: choice(
    ["cidr", "any"],
    "A single address in start and stop: only as 192.0.2.1/32, or also as 192.0.2.1; else ip_prefix invalid.",
  ),
  signalingIpv6: choice(["accepted", "error"], "IPv6 prefixes in start and stop: accepted, or ip_prefix invalid."),
  signalingPrefixes: choice(
    ["within", "registered"],
    "Which prefixes a client may signal: its registered ones and all within them, or the registered ones exactly.",
    ["registered"],
  ),
  signalingOverlap: choice(
    ["accepted", "invalid"],
    "Start of a prefix that lies within or around an active one, or an earlier one of the same request: a signaling of its own, or ip_prefix invalid.",
  ),
  statusForm: choice(["cidr", "bare"], "Form of a single address in status: 192.0.2.1/32 or 192.0.2.1."),
  statusFormat: choice(["json", "lines"], "Format of status: JSON, or one prefix on each line.", ["lines"]),
  statusEnvelope: named(
    "none",
    ["result", "data"],
    "Place of the object or list of status: alone, or under a member of this name; any name; names within one another are joined by dots.",
    ["state.now"],
  ),
  statusName: named(
    "IP_prefix",
    ["ip_prefix"],
    "Member of status that holds the prefixes; any name; none: the list alone.",
    ["active", "none"],
  ),
  statusSingle: choice(["array", "text"], "Form of a single prefix in status: an array with one element, or a text."),
  statusEmpty: choice(
    ["array", "null", "object", "empty", "not-found"],
    "Answer to status when nothing is active: an empty array, null in its place, {}, an empty body, or 404 with a text.",
    ["object", "empty"],
  ),
  signalingSuccess: choice(
    ["text", "status", "created", "no-content", "empty", "html", "code-1"],
    "Answer to start and stop: the text ok, {status: ok}, the text created with status 201, nothing with status 204, nothing, a page of HTML, or {code: 1, message: n records}.",
    ["empty", "html", "code-1"],
  ),
  signalingText: answerText(
    "the answer to a successful start or stop",
    "{count} stands for the number of its prefixes",
  ),
  signalingErrorText: answerText("signaling errors", "{message} stands for the text of the contract"),
  signalingErrorStatus: {
    ...amount(
      0,
      { alternatives: [] },
      "Status of all signaling errors with signalingErrorText; 0: that of each error.",
    ),
    isDrawn: false,
  },
  statusDelay: amount(0, { alternatives: [50] }, "Milliseconds of virtual time until status shows a start."),
  lease: amount(
    0,
    { alternatives: [], refusals: [60_000] },
    "Milliseconds of virtual time after which a signaling ends by itself, for one of a loaded state from then on; 0 is never.",
  ),
};

/** Settings of signaling errors that no answer can have, or that would read as successes. */
export function silentSignaling(settings: { signalingErrorText: string; signalingErrorStatus: number }) {
  const { signalingErrorText: text, signalingErrorStatus: status } = settings;
  if (status === 0) return [];
  const path = "signalingErrorStatus";
  if (status < 200 || status > 599) return [{ path, message: "must be 0, or a status from 200 to 599" }];
  const message = text === "" ? undefined : silentText(status, text);
  return message === undefined ? [] : [{ path, message }];
}
