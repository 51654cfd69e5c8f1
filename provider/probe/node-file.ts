import { z } from "zod";
import { type NodeOptions, nodeSchema, type ReceiverOptions, receiverSchema } from "../client/options";
import { isObject } from "../model/json";
import { jsonIn } from "../model/readable";
import { describeIssues } from "../model/schema";
import type { DialectSettings, NodeSettings, ProbeResult } from "./finding";
import { POINTS } from "./points";

/** What `--out` writes and `--check` reads: settings for the stack, a dialect for the emulator, and what is not known. */
export interface NodeFile {
  /** Members of a node of the configuration. */
  readonly node: Partial<NodeOptions>;
  /** Members of a receiver. */
  readonly receiver: Partial<ReceiverOptions>;
  /** Switches of `emulator --dialect`. */
  readonly dialect: DialectSettings;
  /** Settings that seem likely and that nothing has proved: they belong into `node` once a person has looked. */
  readonly guesses?: { readonly node: Partial<NodeSettings> };
  /** Points that were found out. Absent in files of earlier versions. */
  readonly known?: readonly string[];
  /** Points that were not, each with the reason. */
  readonly unknown?: Readonly<Record<string, string>>;
}

const schema = z.object({
  node: z.record(z.string(), z.unknown()),
  receiver: z.record(z.string(), z.unknown()).default({}),
  dialect: z.record(z.string(), z.union([z.string(), z.number()])),
  known: z.array(z.string()).optional(),
});

/** The file of a result. */
export function nodeFile({ node, receiver, guesses, dialect, findings }: ProbeResult): NodeFile {
  const isKnown = ({ found }: (typeof findings)[number]) => found === "observed" || found === "assumed";
  return {
    node,
    receiver,
    dialect,
    ...(Object.keys(guesses.node).length > 0 && { guesses }),
    known: findings.filter(isKnown).map(({ point }) => point),
    unknown: Object.fromEntries(findings.filter((one) => !isKnown(one)).map(({ point, node: why }) => [point, why])),
  };
}

/** @throws {TypeError} saying what is wrong with the text. */
export function parseNodeFile(text: string): NodeFile {
  const content = jsonIn(text);
  if (content === undefined) throw new TypeError("it is not JSON");
  const parsed = schema.safeParse(content);
  if (!parsed.success) throw new TypeError('it has no objects "node" and "dialect", as --out writes them');
  const { dialect, known } = parsed.data;
  // An endpoint is there only where the node redirects; the rest is checked with any.
  const { endpoint, ...members } = parsed.data.node;
  const checked = nodeSchema().safeParse({ endpoint: endpoint ?? "http://192.0.2.10", ...members });
  if (!checked.success) throw new TypeError(`its member "node" is not valid: ${describeIssues(checked.error)}`);
  const { endpoint: moved, ...settings } = checked.data;
  const node = { ...(endpoint !== undefined && { endpoint: moved }), ...settings };
  const whole = { url: "http://192.0.2.20", clientId: "any", secretKey: "any", ...parsed.data.receiver };
  const receiver = receiverSchema().safeParse(whole);
  if (!receiver.success) throw new TypeError(`its member "receiver" is not valid: ${describeIssues(receiver.error)}`);
  const { answers } = receiver.data;
  return { node, receiver: answers ? { answers } : {}, dialect, ...(known && { known }) };
}

/** Delays are measured, so that no two are the same: smaller differences are none. In milliseconds, and as a factor. */
const NOISE = { ms: 250, times: 4 };

/**
 * What a node does otherwise than an earlier result says, a line each. Compared is what was asked in both: settings by the
 * points that decide about them, switches where both have them.
 */
export function differences(before: NodeFile, now: NodeFile): string[] {
  const switches = Object.keys(before.dialect).filter((name) => now.dialect[name] !== undefined);
  const changed = switches.filter((name) => !isSame(name, before.dialect[name], now.dialect[name]));
  const [then, here] = [before, now].map(({ node, receiver }) => leaves({ ...node, receiver }));
  const names = [...new Set([...(then?.keys() ?? []), ...(here?.keys() ?? [])])];
  const set = names.filter(
    (name) => isAsked(name, before, then) && isAsked(name, now, here) && then?.get(name) !== here?.get(name),
  );
  return [
    ...changed.map((name) => `${name}: was ${before.dialect[name]}, is ${now.dialect[name]}`),
    ...set.map(
      (name) => `${name}: was to be ${then?.get(name) ?? "not set"}, is to be ${here?.get(name) ?? "not set"}`,
    ),
  ];
}

/** True where a result says something about a setting: it has it, or a point that decides about it was asked. */
function isAsked(setting: string, { known }: NodeFile, settings: ReadonlyMap<string, string> | undefined): boolean {
  if (settings?.has(setting) === true || known === undefined) return true;
  const covers = (one: string) => setting === one || setting.startsWith(`${one}.`) || one.startsWith(`${setting}.`);
  return POINTS.some(({ name, settles }) => known.includes(name) && settles.some(covers));
}

/** Each setting with its dots: `answers.path.rules`. A verdict, and the columns of a kind of list, are one. */
function leaves(settings: unknown, path: readonly string[] = []): Map<string, string> {
  const [first, second] = path;
  const answer = first === "answers" ? second : path[2];
  const isOne = answer !== undefined && WHOLE.includes(answer);
  if (!isObject(settings) || isOne) return new Map([[path.join("."), JSON.stringify(settings, sorted)]]);
  return new Map(Object.entries(settings).flatMap(([name, value]) => [...leaves(value, [...path, name])]));
}

const WHOLE = ["columns", "success", "failure", "absent", "more"];

function isSame(name: string, before: string | number | undefined, now: string | number | undefined): boolean {
  if (before === now) return true;
  if (!name.endsWith("Delay") || typeof before !== "number" || typeof now !== "number") return false;
  const [less, more] = [Math.min(before, now), Math.max(before, now)];
  return more - less < NOISE.ms || more < less * NOISE.times;
}

/** For comparison: the order of members says nothing. */
function sorted(_name: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
