import { z } from "zod";
import { LONGEST_TIMER_MS } from "../../../client/clock";
import { parseEndpoint } from "../../../client/endpoint";
import { attempt } from "../../../model/errors";
import { isObject, type JsonObject, without } from "../../../model/json";
import { some } from "../../../model/text";

/** Default time limit of a check, in milliseconds. */
const CHECK_TIMEOUT_MS = 60_000;

const milliseconds = z
  .number({ error: "is not a number of milliseconds" })
  .min(0, "is negative")
  .max(LONGEST_TIMER_MS, `is more than ${LONGEST_TIMER_MS}`);
const text = z.string({ error: "is not a text" });

const checkSchema = z
  .strictObject({
    url: text
      .refine(isUrl, { error: "is not an http:// or https:// url" })
      .refine(hasNoUser, { error: "holds a user or password: give it in headers, as authorization" })
      .optional(),
    headers: z.record(z.string(), text, { error: "is not an object of texts" }).optional(),
    status: z
      .number({ error: "is not a status" })
      .int("is not a status")
      .min(100, "is not a status")
      .max(599, "is not a status")
      .optional(),
    command: z
      .array(text, { error: "is not an array of texts" })
      .min(1, "is empty: write the program and its arguments")
      .optional(),
  })
  .refine(({ url, command }) => (url === undefined) !== (command === undefined), {
    error: "has to have either a url or a command",
  })
  .refine(({ headers, status, command }) => command === undefined || (headers ?? status) === undefined, {
    error: "has a command, to which neither headers nor status belong",
  });

/** Question of a check: a url, in which `{node}` is each node that the wave changed, or a command. */
export type Check = z.output<typeof checkSchema>;

/** The argument `rollout`; its waves are read with the names of the nodes. */
export const rolloutSchema = z.strictObject({
  waves: z.custom<unknown>((waves) => waves !== undefined, { error: "is missing" }),
  pauseMs: milliseconds.default(0),
  check: checkSchema.optional(),
  checkTimeoutMs: milliseconds.min(1, "is less than 1").default(CHECK_TIMEOUT_MS),
});

const pendingSchema = z.object({
  wave: z.number(),
  of: z.number(),
  nodes: z.array(z.string()),
  /** Digest of the content that has not passed, by node. */
  contents: z.record(z.string(), z.string()),
  reason: z.string(),
});

/** A wave of the state that has not passed. */
export type Pending = z.output<typeof pendingSchema>;

/** Separates the argument from the pending wave: in the state both are in `rollout`. @throws {z.ZodError} */
export function readRollout(rollout: unknown) {
  if (!isObject(rollout)) return { given: undefined, args: undefined, pending: undefined };
  const { reason } = rollout;
  const given: JsonObject = without(rollout, Object.keys(pendingSchema.shape));
  const isGiven = Object.keys(given).length > 0;
  return {
    given: isGiven ? given : undefined,
    args: isGiven ? rolloutSchema.parse(given) : undefined,
    pending: reason === undefined ? undefined : pendingSchema.parse(rollout),
  };
}

/** The same wave by other names of its nodes. */
export function renamed(pending: Pending, nameOf: (node: string) => string): Pending {
  const contents = Object.entries(pending.contents).map(([node, digest]) => [nameOf(node), digest]);
  return { ...pending, nodes: pending.nodes.map(nameOf), contents: Object.fromEntries(contents) };
}

/** The wave and the reason, as a sentence. */
export function notPassed({ wave, of, nodes, reason }: Omit<Pending, "contents">): string {
  const end = /[.!?…]$/.test(reason) ? "" : ".";
  return `wave ${wave} of ${of} (${some(nodes)}) did not pass: ${reason}${end}`;
}

/** True if both checks ask the same and expect the same. Headers hold keys, which are rotated, so they do not count. */
function isSameCheck(one: Check, other: Check): boolean {
  return identity(one) === identity(other);
}

/** True if the program has the check that its nodes must pass, if there is one. */
export function hasOwed(owed: Check | undefined, check: Check | undefined): boolean {
  return owed === undefined || (check !== undefined && isSameCheck(owed, check));
}

function identity(check: Check): string {
  const { url, status = OK, command } = check;
  return JSON.stringify(command ?? [url, status]);
}

export const OK = 200;

export function urlFor(url: string, node: string): string {
  return url.replaceAll("{node}", encodeURIComponent(node));
}

/** The headers of a check are secret in the state, and its url is not. */
function hasNoUser(url: string): boolean {
  const { username = "", password = "" } = attempt(() => new URL(urlFor(url, "node"))) ?? {};
  return `${username}${password}` === "";
}

function isUrl(url: string): boolean {
  const base = urlFor(url, "node").replace(/[?#].*$/s, "");
  return attempt(() => parseEndpoint(base, "url")) !== undefined;
}
