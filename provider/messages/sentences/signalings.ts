import { count, inLines, some } from "../../model/text";
import type { SignalingEvents } from "../events";
import { found, type Sentences, stay, subject, them, warn, warning } from "./words";

/** Sentences about signalings. */
export const SIGNALINGS: Sentences<keyof SignalingEvents> = {
  activeBefore(event, where) {
    const { prefixes, isPlanned, stopsAll } = event;
    if (isPlanned) return `${where} signaling: active already, and adopted: ${some(prefixes)}.`;
    const outcome = stopsAll
      ? `A destroy of this resource stops ${them(prefixes.length)} nevertheless (stops: "all").`
      : `A destroy of this resource leaves ${them(prefixes.length)} active; stops: "all" would stop ${them(prefixes.length)}.`;
    return inLines(prefixes).map(
      (line) => `${subject(event, where)}: active before this resource: ${line}. ${outcome}`,
    );
  },
  notActive({ prefixes }, where) {
    const are = count(prefixes.length, "declared prefix is", "declared prefixes are");
    return warning(
      `${where} signaling: ${are} not active (${some(prefixes)}): this up starts ${them(prefixes.length)} again.`,
    );
  },
  interruptedStart: ({ prefixes }, where) =>
    warning(
      `${where} signaling: an interrupted run of this stack started ${some(prefixes)}: this up stops ${them(prefixes.length)}.`,
    ),
  startedAgain: warn(({ prefixes, error }) => {
    const end =
      error === undefined ? "; started again." : `, and could not be started again: ${error} Run "pulumi up" again.`;
    return `${some(prefixes)} stopped while another resource of this stack began to declare ${them(prefixes.length)}${end}`;
  }),
  leftActive(event, where) {
    const { prefixes, isHandedOn } = event;
    const text = `${subject(event, where)}: ${some(prefixes)} ${stay(prefixes.length)} active, since another resource of this stack declares ${them(prefixes.length)}.`;
    if (isHandedOn) return text;
    return warning(
      `${text} If that resource was made before this delete, its destroy leaves what it does not own, unless it has stops: "all". If it is this resource under another name, an alias in the program keeps it the owner; if it is its replacement, --refresh does.`,
    );
  },
  leftAsFound(event, where) {
    const why = event.isNone ? 'stops: "none"' : `this resource did not start ${them(event.prefixes.length)}`;
    return inLines(event.prefixes).map(
      (line) =>
        `${subject(event, where)}: left as ${event.prefixes.length === 1 ? "it was" : "they were"} (${why}): ${line}. A resource with stops: "all" stops ${them(event.prefixes.length)}.`,
    );
  },
  outcomeUnknown: warn(({ prefixes, operation, reason }) => {
    const is = prefixes.length === 1 ? "it is" : "they are";
    const state = operation === "start" ? "active" : "stopped";
    return `the ${operation} of ${some(prefixes)} was sent and answered; it is unknown whether ${is} ${state}: ${reason} "pulumi refresh" shows it once the status can be read.`;
  }),
  stopRefused: warn(
    ({ prefixes, reason }) =>
      `the stop of ${some(prefixes)} was refused, and counts as done, since the status does not show ${them(prefixes.length)}: ${reason}`,
  ),
  receiverMoved: ({ from, to }) =>
    warning(
      `The receiver is now reached at ${to}. Signalings at ${from} stay active; if that is another receiver, stop them there.`,
    ),
  receiverUnreadable: found(({ reason }) => `cannot be read, and this run uses the state alone. ${reason}`),
};
