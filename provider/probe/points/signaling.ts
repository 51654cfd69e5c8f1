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
import { type Conclusion, type Point, pointsNeeding, type Switches } from "../point";
import { placesOfStatus } from "../shapes/status-search";
import { isLikeTemplate } from "../shapes/template";
import { TIMING } from "../timing";

/** Settings that read a receiver's answers. */
const READ = (["format", "path", "name", "empty", "success", "failure"] as const).map(
  (name) => `receiver.answers.${name}` as const,
);

const answers = pointsNeeding("receiver")({
  name: "signaling-answers",
  title: "signaling: start and status",
  assumes: '"ok" and words that say the same; a list under `IP_prefix`, in any natural envelope',
  settles: READ,
  ask: async (bench) => {
    const { signaling } = bench;
    const { idle, start, status } = await bench.trial();
    await signaling.compare();
    return () => {
      const { answers, known } = signaling;
      const { misread } = known;
      if (!known.signs().isProved) {
        const node = "one start alone was answered, so nothing shows what in it is a sign of success";
        return { is: "alone", as: "unknown", node, evidence: [start] };
      }
      const receiver = settingsOf(answers);
      if (misread) {
        const node = "a start or stop took effect, and no setting reads its answer";
        return { is: "misread", as: "beyond", node, evidence: [misread], receiver };
      }
      const success = start.status === 201 ? "created" : start.emptyForm;
      const isRows = answers.format === "csv" || answers.format === "ndjson";
      const dialect = {
        ...placeSwitches(status, answers),
        statusEmpty: isQuiet(signaling, idle) ? emptySwitch(idle) : undefined,
        ...(success === undefined ? { signalingText: known.textOf("start") } : { signalingSuccess: success }),
      };
      const common = { node: `${start.quote}; ${status.quote}`, evidence: [start, status], receiver, dialect };
      // No switch repeats rows.
      return isRows ? { is: "rows", as: "beyond", ...common } : { is: "read", as: "setting", ...common };
    };
  },
});

const further = pointsNeeding("receiver", "signaling-answers")(
  {
    name: "signaling-errors",
    title: "signaling: errors",
    assumes: "the four texts at any status, as text or under `error`, `message` or `detail`",
    ask: async (bench) => {
      const { wrongStop, idleStop, again } = await bench.trial();
      const evidence = [wrongStop, idleStop, again];
      return () => {
        const silent = evidence.filter((answer) => !isRefused(answer) && bench.signaling.isDone(answer));
        const refused = [idleStop, again].find(isRefused);
        const dialect = refused && errorSwitches(refused);
        if (silent.length > 0) {
          const node = `no error for ${silent.length} of three mistakes`;
          return { is: "silent", as: "beyond", node, evidence, dialect };
        }
        if (refused && dialect && evidence.every(isRefused))
          return { is: "told", as: "dialect", node: `as ${formOf(refused)}`, evidence, dialect };
        return { is: "unlike", as: "unknown", node: "answers that are neither known errors nor successes", evidence };
      };
    },
  },
  {
    name: "status-wrong-secret",
    title: "signaling: status with a wrong secret",
    assumes: "its error text, 401, 403 and 404; an empty list looks like a quiet receiver",
    ask: async (bench) => {
      const { wrongStatus } = await bench.trial();
      const { signaling } = bench;
      const hasRefusal = refusalIn(wrongStatus.body) !== undefined;
      const reading = signaling.read(wrongStatus);
      const active = !hasRefusal && reading.kind === "done" ? reading.value.map(String) : undefined;
      const said = (is: string) => ({ is, evidence: [wrongStatus], dialect: { statusWrongSecret: is } });
      if (wrongStatus.status === 404 && !hasRefusal) return { ...said("not-found"), as: "dialect", node: "404" };
      if (active?.includes(signaling.prefix.toString()))
        return { is: "ignored", as: "beyond", node: "the list, as with the right secret", evidence: [wrongStatus] };
      const advice = "only the first start notices a wrong secret";
      if (active?.length === 0) return { ...said("empty"), as: "dialect", node: "an empty list", advice };
      if (isRefused(wrongStatus)) return { ...said("error"), as: "contract", node: "an error" };
      return { is: "unlike", as: "unknown", node: "neither a known error nor a list", evidence: [wrongStatus] };
    },
  },
  {
    name: "status-delay",
    title: "signaling: delay of a start",
    assumes: "asks for the status until it shows, up to `deadlineMs`",
    ask: async (bench) => {
      const { start, status, delayMs } = await bench.trial();
      const statusDelay = Math.round(delayMs);
      const node = delayMs > 0 ? `shown after ${statusDelay} ms` : "the next status shows it";
      return { is: "seen", as: "dialect", node, evidence: [start, status], dialect: { statusDelay } };
    },
  },
  {
    name: "signaling-ipv6",
    title: "signaling: IPv6",
    assumes: "left to the receiver",
    ask: async (bench) => {
      if (bench.signaling.prefix.family === 4) throw new Skipped("needs an IPv6 prefix of your own as --signaling");
      const { start } = await bench.trial();
      return {
        ...{ is: "accepted", as: "contract", node: "accepted" },
        ...{ evidence: [start], dialect: { signalingIpv6: "accepted" } },
      };
    },
  },
  {
    name: "signaling-within",
    title: "signaling: an address within the prefix",
    assumes: "left to the receiver, whose error is shown",
    ask: async (bench) => {
      const { signaling, learned } = bench;
      const address = firstAddress(signaling.prefix);
      if (!address) throw new Skipped("needs a prefix of several addresses as --signaling");
      const start = await tried(signaling, address.toString());
      if (start.isTaken) learned.singleStatus = start.status;
      return () => judged(start, "signalingPrefixes", ["within", "registered"]);
    },
  },
  {
    name: "status-form",
    title: "signaling: a single address in status",
    assumes: "with or without a length",
    ask: async (bench) => {
      const { status } = await bench.trial();
      const answer = bench.signaling.prefix.size === 1n ? status : bench.learned.singleStatus;
      if (!answer) throw new Skipped("no single address could be started");
      const evidence = [answer];
      if (/\/(32|128)\b/.test(answer.body))
        return { is: "cidr", as: "contract", node: "with /32", evidence, dialect: { statusForm: "cidr" } };
      return { is: "bare", as: "dialect", node: "without a length", evidence, dialect: { statusForm: "bare" } };
    },
  },
  {
    name: "signaling-address",
    title: "signaling: an address without /32",
    assumes: "never sent",
    ask: async (bench) => {
      const { signaling, learned } = bench;
      const own = firstAddress(signaling.prefix);
      if (own && !learned.singleStatus) throw new Skipped("no single address could be started");
      const start = await tried(signaling, (own ?? signaling.prefix).address);
      return () => judged(start, "signalingAddress", ["any", "cidr"]);
    },
  },
  {
    name: "signaling-overlap",
    title: "signaling: an address within an active one",
    assumes: "a signaling of its own; an error names the state of each prefix",
    ask: async (bench) => {
      const { signaling, learned } = bench;
      const address = firstAddress(signaling.prefix);
      if (!address || !learned.singleStatus) throw new Skipped("no prefix within the own one could be started");
      await startShown(signaling);
      const start = await tried(signaling, address.toString());
      return () => judged(start, "signalingOverlap", ["accepted", "invalid"], "a signaling of its own");
    },
  },
  {
    name: "signaling-several",
    title: "signaling: two at once",
    assumes: "the same form as of one",
    settles: READ,
    ask: async (bench) => {
      const { signaling } = bench;
      const halves = halvesOf(bench);
      const answer = await signaling.start(halves);
      const { answer: status, shown } = await signaling.shows(...halves);
      const evidence = [answer, status];
      if (!shown) return { is: "unseen", as: "beyond", node: "the status never shows both", evidence };
      if (!signaling.succeeded("start", answer, 2))
        return { is: "unread", as: "beyond", node: "started, which no setting reads", evidence };
      const both = { is: "both", as: "setting", node: "both are shown", evidence } as const;
      return () => ({ ...both, receiver: settingsOf(signaling.answers) });
    },
  },
  {
    name: "signaling-partial",
    title: "signaling: one of several cannot start",
    assumes: "some may start: asks for the status before and after, and reports the state of each",
    ask: async (bench) => {
      const { signaling } = bench;
      const { delayMs } = await bench.trial();
      const [active, idle] = halvesOf(bench);
      await startShown(signaling, active);
      const answer = await signaling.start([active, idle]);
      if (signaling.isDone(answer)) throw new Unclear("a start of an active prefix is not an error", [answer]);
      // A late start would look like none.
      const isStarted = async () => {
        await bench.pause(2 * delayMs + TIMING.firstPause);
        const status = await signaling.status();
        const reading = signaling.read(status);
        if (reading.kind !== "done") throw new Unclear("the status is not understood", [status]);
        return reading.value.map(String).includes(idle);
      };
      const conclusion = (is: string, node: string, signalingPartial: string): Conclusion => {
        return { is, as: "dialect", node, evidence: [answer], dialect: { signalingPartial } };
      };
      if (await isStarted()) return conclusion("others", "the others start", "valid-ones");
      await signaling.start([idle, active]);
      if (await isStarted()) return conclusion("before", "those before it start", "before");
      await signaling.clear();
      await startShown(signaling, idle);
      return conclusion("none", "none starts", "all-or-nothing");
    },
  },
);

export const signaling: readonly Point[] = [...answers, ...further];

/** A start that must succeed, or refusals beside it have another reason than what is in them. @throws {Unclear} */
async function startShown(signaling: Receiver, prefix: string = signaling.prefix.toString()): Promise<void> {
  const answer = await signaling.start([prefix]);
  const { shown } = await signaling.shows(prefix);
  if (!shown) throw new Unclear("a plain start is refused as well", [answer]);
}

/**
 * Starts a prefix and waits for it in the status, if it is not refused by its HTTP status or in the contract's words: an answer
 * alone shows no effect, and a sign that was learnt from one start may misread another.
 */
async function tried(signaling: Receiver, prefix: string) {
  const answer = await signaling.start([prefix]);
  const isKnown = answer.status >= 300 || refusalIn(answer.body) !== undefined;
  const shown = isKnown ? undefined : await signaling.shows(Prefix.parse(prefix).toString());
  const isShown = shown?.shown === true;
  const isTaken = isShown && signaling.succeeded("start", answer);
  if (!isShown) {
    await signaling.clear();
    await startShown(signaling);
  }
  return { answer, status: shown?.answer, isTaken, isRefused: !isShown && isRefused(answer) };
}

/** Judges such a start. @param name A switch, with its settings where the start is accepted or refused. */
function judged(
  { answer, isTaken, isRefused }: Awaited<ReturnType<typeof tried>>,
  name: string,
  [accepted, refused]: readonly [accepted: string, refused: string],
  node = "accepted",
): Conclusion {
  const evidence = [answer];
  if (isTaken) return { is: "taken", as: "dialect", node, evidence, dialect: { [name]: accepted } };
  if (isRefused) return { is: "refused", as: "dialect", node: "refused", evidence, dialect: { [name]: refused } };
  return { is: "unlike", as: "unknown", node: "neither a known error nor a start that the status shows", evidence };
}

/** The emulator's switches for such an error: its form, or its own text around that of the contract. */
function errorSwitches(answer: Answer): Switches {
  const { status, body, errorBody } = answer;
  const template = refusalTemplate(body) ?? body;
  const names = isObject(errorBody) ? Object.keys(errorBody).join() : undefined;
  const isUsual = names === undefined ? template.trim() === "{message}" : /^(error|message|detail)$/i.test(names);
  if (isUsual || template.trim() === "" || isLikeTemplate(body)) return { signalingErrors: formOf(answer) };
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
  if (size === 1n || !learned.singleStatus) throw new Skipped("no prefix within the own one could be started");
  const from = (first: bigint) => `${Prefix.formatAddress(family, first)}/${length + 1}`;
  return [from(bits), from(bits + size / 2n)];
}

function settingsOf(answers: ReceiverAnswers): ReceiverSettings {
  return Object.keys(answers).length > 0 ? { answers } : {};
}

/** The emulator's switches for the place of prefixes in a status. */
function placeSwitches({ body }: Answer, { format }: ReceiverAnswers): Switches {
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
