import { isObject } from "../../model/json";
import { Prefix } from "../../model/prefix";
import type { ReceiverAnswers } from "../../wire/answers";
import { refusalIn, refusalTemplate } from "../../wire/signaling";
import type { Answer } from "../asking/answer";
import type { Bench } from "../asking/bench";
import { Skipped, Unclear } from "../asking/outcome";
import type { Receiver } from "../asking/receiver";
import { firstAddress, isRefused } from "../asking/trial";
import type { ReceiverSettings } from "../finding";
import { type Judgement, type Point, pointNeeding } from "../point";
import { placesOfStatus } from "../shapes/status-search";
import { TIMING } from "../timing";

const point = pointNeeding("receiver");
const furtherPoint = pointNeeding("receiver", "signaling-answers");

/** Starts a prefix and waits for it in the status, if it is not refused: an answer alone shows no effect. */
async function tried(signaling: Receiver, prefix: string) {
  const answer = await signaling.start([prefix]);
  const shown = isRefused(answer) ? undefined : await signaling.shows(Prefix.parse(prefix).toString());
  return { answer, status: shown?.answer, isTaken: shown?.shown === true && signaling.isDone(answer) };
}

/** Judgement of such a start. */
function eitherWay(
  { answer, isTaken }: Awaited<ReturnType<typeof tried>>,
  name: string,
  first: Outcome,
  second: Outcome,
): Judgement {
  const evidence = [answer];
  if (!isTaken && !isRefused(answer))
    return { found: "assumed", node: "neither a known error nor a start that the status shows", evidence };
  const [node, setting] = isTaken ? first : second;
  return { node, evidence, dialect: { [name]: setting } };
}

type Outcome = readonly [node: string, setting: string];

/** The signaling receiver. */
export const signaling: readonly Point[] = [
  point({
    name: "signaling-answers",
    title: "signaling: start and status",
    assumes: '"ok" and words that say the same; a list under `IP_prefix`, in any natural envelope',
    finds: [
      "statusFormat",
      "statusEnvelope",
      "statusName",
      "statusSingle",
      "statusEmpty",
      "signalingSuccess",
      "signalingText",
    ],
    settles: ["format", "path", "name", "empty", "success", "failure"].map((name) => `receiver.answers.${name}`),
    ask: async (bench) => {
      const { signaling } = bench;
      const { idle, start, status } = await bench.trial();
      return () => {
        const { answers, startText } = signaling;
        const success = successSwitch(start);
        const isRowed = answers.format === "csv" || answers.format === "ndjson";
        return {
          node: `${start.quote}; ${status.quote}`,
          evidence: [start, status],
          receiver: settingsOf(answers),
          ...(isRowed && { beyond: true }),
          dialect: {
            ...placeSwitches(status, answers),
            statusEmpty: isQuiet(signaling, idle) ? emptySwitch(idle) : undefined,
            ...(success === undefined ? { signalingText: startText } : { signalingSuccess: success }),
          },
        };
      };
    },
  }),
  furtherPoint({
    name: "signaling-errors",
    title: "signaling: errors",
    assumes: "the four texts at any status, as text or under `error`, `message` or `detail`",
    finds: ["signalingErrors", "signalingErrorText", "signalingErrorStatus"],
    ask: async (bench) => {
      const { wrongStop, idleStop, again } = await bench.trial();
      const evidence = [wrongStop, idleStop, again];
      return () => {
        const silent = evidence.filter((answer) => !isRefused(answer) && bench.signaling.isDone(answer));
        const refused = [idleStop, again].find(isRefused);
        const dialect = refused && errorSwitches(refused);
        if (silent.length > 0)
          return { node: `no error for ${silent.length} of three mistakes`, evidence, beyond: true, dialect };
        if (refused === undefined || !evidence.every(isRefused))
          return { found: "assumed", node: "answers that are neither known errors nor successes", evidence, dialect };
        return { node: `as ${formOf(refused)}`, evidence, dialect };
      };
    },
  }),
  furtherPoint({
    name: "status-wrong-secret",
    title: "signaling: status with a wrong secret",
    assumes: "its error text, 401, 403 and 404; an empty list looks like a quiet receiver",
    finds: ["statusWrongSecret"],
    ask: async (bench) => {
      const { wrongStatus } = await bench.trial();
      const isTold = refusalIn(wrongStatus.body) !== undefined;
      const isNotFound = wrongStatus.status === 404 && !isTold;
      const isRead = !isTold && bench.signaling.read(wrongStatus).kind === "done";
      const does = isNotFound ? "not-found" : isRead ? "empty" : "error";
      return () => ({
        node: { empty: "an empty list", "not-found": "404", error: "an error" }[does],
        evidence: [wrongStatus],
        ...(does === "empty" && { advice: "only the first start notices a wrong secret" }),
        dialect: { statusWrongSecret: does },
      });
    },
  }),
  furtherPoint({
    name: "status-delay",
    title: "signaling: delay of a start",
    assumes: "asks for the status until it shows, up to `deadlineMs`",
    finds: ["statusDelay"],
    ask: async (bench) => {
      const { start, status, delayMs } = await bench.trial();
      return () => ({
        node: delayMs === 0 ? "the next status shows it" : `shown after ${Math.round(delayMs)} ms`,
        evidence: [start, status],
        dialect: { statusDelay: Math.round(delayMs) },
      });
    },
  }),
  furtherPoint({
    name: "signaling-ipv6",
    title: "signaling: IPv6",
    assumes: "left to the receiver",
    finds: ["signalingIpv6"],
    ask: async (bench) => {
      if (bench.signaling.prefix.family === 4) throw new Skipped("needs an IPv6 prefix of your own as --signaling");
      const { start } = await bench.trial();
      return () => ({ node: "accepted", evidence: [start], dialect: { signalingIpv6: "accepted" } });
    },
  }),
  furtherPoint({
    name: "signaling-within",
    title: "signaling: an address within the prefix",
    assumes: "left to the receiver, whose error is shown",
    finds: ["signalingPrefixes"],
    ask: async (bench) => {
      const { signaling, learned } = bench;
      await bench.trial();
      const address = firstAddress(signaling.prefix);
      if (!address) throw new Skipped("needs a prefix of several addresses as --signaling");
      const start = await tried(signaling, address.toString());
      learned.takesLonger = start.isTaken;
      if (start.isTaken) learned.singleStatus = start.status;
      return () => eitherWay(start, "signalingPrefixes", ["accepted", "within"], ["refused", "registered"]);
    },
  }),
  furtherPoint({
    name: "status-form",
    title: "signaling: a single address in status",
    assumes: "with or without a length",
    finds: ["statusForm"],
    ask: async (bench) => {
      const { status } = await bench.trial();
      const answer = bench.signaling.prefix.size === 1n ? status : bench.learned.singleStatus;
      if (!answer) throw new Skipped("no single address could be started");
      const isBare = !/\/(32|128)\b/.test(answer.body);
      const node = isBare ? "without a length" : "with /32";
      return () => ({ node, evidence: [answer], dialect: { statusForm: isBare ? "bare" : "cidr" } });
    },
  }),
  furtherPoint({
    name: "signaling-address",
    title: "signaling: an address without /32",
    assumes: "never sent",
    finds: ["signalingAddress"],
    ask: async (bench) => {
      const { signaling, learned } = bench;
      await bench.trial();
      const own = firstAddress(signaling.prefix);
      if (own && !learned.takesLonger) throw new Skipped("no single address could be started");
      const start = await tried(signaling, (own ?? signaling.prefix).address);
      return () => eitherWay(start, "signalingAddress", ["accepted", "any"], ["refused", "cidr"]);
    },
  }),
  furtherPoint({
    name: "signaling-overlap",
    title: "signaling: an address within an active one",
    assumes: "a signaling of its own; an error names the state of each prefix",
    finds: ["signalingOverlap"],
    ask: async (bench) => {
      const { signaling, learned } = bench;
      await bench.trial();
      const address = firstAddress(signaling.prefix);
      if (!address || !learned.takesLonger) throw new Skipped("no prefix within the own one could be started");
      await signaling.start([signaling.prefix.toString()]);
      await signaling.shows(signaling.prefix.toString());
      const start = await tried(signaling, address.toString());
      return () => eitherWay(start, "signalingOverlap", ["a signaling of its own", "accepted"], ["refused", "invalid"]);
    },
  }),
  furtherPoint({
    name: "signaling-several",
    title: "signaling: two at once",
    assumes: "the same form as of one",
    ask: async (bench) => {
      const { signaling } = bench;
      const { idleStop, again } = await bench.trial();
      const halves = halvesOf(bench);
      const answer = await signaling.start(halves);
      const { answer: status, shown } = await signaling.shows(...halves);
      const isRead = shown && signaling.severalSucceeded(answer, [idleStop, again]);
      return () => ({
        node: isRead ? "both are shown" : shown ? "started, which no setting reads" : "the status never shows both",
        evidence: [answer, status],
        ...(!isRead && { beyond: true }),
        receiver: settingsOf(signaling.answers),
      });
    },
  }),
  furtherPoint({
    name: "signaling-partial",
    title: "signaling: one of several cannot start",
    assumes: "some may start: asks for the status before and after, and reports the state of each",
    finds: ["signalingPartial"],
    ask: async (bench) => {
      const { signaling } = bench;
      const { delayMs } = await bench.trial();
      const [active, idle] = halvesOf(bench);
      await signaling.start([active]);
      await signaling.shows(active);
      const answer = await signaling.start([active, idle]);
      if (signaling.isDone(answer)) throw new Unclear("a start of an active prefix is not an error", [answer]);
      // A late start would look like none.
      const isStarted = async () => {
        await bench.pause(2 * delayMs + TIMING.firstPause);
        return (await signaling.active()).includes(idle);
      };
      const evidence = [answer];
      if (await isStarted())
        return () => ({ node: "the others start", evidence, dialect: { signalingPartial: "valid-ones" } });
      await signaling.start([idle, active]);
      const isBefore = await isStarted();
      return () =>
        isBefore
          ? { node: "those before it start", evidence, dialect: { signalingPartial: "before" } }
          : { node: "none starts", evidence, dialect: { signalingPartial: "all-or-nothing" } };
    },
  }),
];

/** The emulator's switches for such an error: its form, or its own text around that of the contract. */
function errorSwitches(answer: Answer): NonNullable<Judgement["dialect"]> {
  const { status, body, errorBody } = answer;
  const template = refusalTemplate(body) ?? body;
  const names = isObject(errorBody) ? Object.keys(errorBody).join() : undefined;
  const isUsual = names === undefined ? template.trim() === "{message}" : /^(error|message|detail)$/i.test(names);
  if (isUsual || template.trim() === "") return { signalingErrors: formOf(answer) };
  return { signalingErrorText: template, signalingErrorStatus: status };
}

function formOf({ status, errorBody }: Answer): string {
  const names = isObject(errorBody) ? Object.keys(errorBody).map((name) => name.toLowerCase()) : undefined;
  if (names === undefined) return status >= 300 ? "status" : "text-200";
  if (status < 300) return "json-200";
  return names.includes("error") ? "json" : names.includes("message") ? "json-message" : "json-detail";
}

/** Both halves of the user's prefix. @throws {Skipped} for a single address, or if no part of it can be started. */
function halvesOf({ signaling, learned }: Bench): [string, string] {
  const { family, bits, size, length } = signaling.prefix;
  if (size === 1n || !learned.takesLonger) throw new Skipped("no prefix within the own one could be started");
  const from = (first: bigint) => `${Prefix.formatAddress(family, first)}/${length + 1}`;
  return [from(bits), from(bits + size / 2n)];
}

function settingsOf(answers: ReceiverAnswers): ReceiverSettings {
  return Object.keys(answers).length > 0 ? { answers } : {};
}

/** The emulator's switches for the place of prefixes in a status. */
function placeSwitches({ body }: Answer, { format }: ReceiverAnswers): Record<string, string | undefined> {
  if (format !== undefined && format !== "json") return { statusFormat: format === "lines" ? "lines" : undefined };
  const [place] = placesOfStatus(body);
  if (place === undefined) return {};
  const { names, isText } = place;
  const more = names.slice(0, -1);
  return {
    statusFormat: "json",
    statusEnvelope: more.length === 0 ? "none" : more.join("."),
    statusName: names.at(-1) ?? "none",
    statusSingle: isText ? "text" : "array",
  };
}

function isQuiet(receiver: Receiver, idle: Answer): boolean {
  const reading = receiver.read(idle);
  return reading.kind === "done" && reading.value.length === 0;
}

/** The emulator's switch for a status without active prefixes. */
function emptySwitch({ status, body, errorBody }: Answer): string {
  if (status === 404) return "not-found";
  if (body.trim() === "") return "empty";
  if (isObject(errorBody) && Object.keys(errorBody).length === 0) return "object";
  return errorBody === null || /:\s*null/.test(body) ? "null" : "array";
}

/** The emulator's switch for the answer to a successful start. */
function successSwitch({ status, body, errorBody }: Answer): string | undefined {
  if (status === 204) return "no-content";
  if (body.trim() === "") return "empty";
  if (status === 201) return "created";
  if (/<html/i.test(body)) return "html";
  if (!isObject(errorBody)) return /^["']?ok/i.test(body.trim()) ? "text" : undefined;
  const names = Object.keys(errorBody).join();
  if (errorBody.code === 1 && names === "code,message") return "code-1";
  return names === "status" && errorBody.status === "ok" ? "status" : undefined;
}
