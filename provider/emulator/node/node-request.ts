import { z } from "zod";
import { messageOf } from "../../model/errors";
import { MARK_TYPES } from "../../model/mark";
import { parseUrl, type ResourceUrl } from "../../model/resource-url";
import { BadRequest } from "../http/json-body";
import type { RequestSummary } from "../journal/journal";

/** A request of the node API that has the form of the contract (docs/contract.md#node-endpoint). */
export type NodeRequest =
  | { readonly cmd: "list"; readonly url: Exclude<ResourceUrl, { kind: "mark" }> }
  | {
      readonly cmd: "list";
      readonly url: Extract<ResourceUrl, { kind: "mark" }>;
      readonly type: (typeof MARK_TYPES)[number];
    }
  | { readonly cmd: "insert" | "delete"; readonly url: SetUrl; readonly data: readonly unknown[] }
  | { readonly cmd: "commit"; readonly url: SetUrl };

type SetUrl = Extract<ResourceUrl, { kind: "prefixset" }>;

const members = z.strictObject({
  url: z.string(),
  cmd: z.enum(["list", "insert", "delete", "commit"]),
  data: z.array(z.unknown()).min(1).optional(),
  type: z.enum(MARK_TYPES).optional(),
});

/** Whatever of these members is there and readable. */
const anyMembers = z.looseObject({
  url: z.string().optional().catch(undefined),
  cmd: members.shape.cmd.optional().catch(undefined),
  type: members.shape.type.catch(undefined),
});

/** What the journal says of a request, valid or not. */
export function summarize(value: unknown): RequestSummary {
  const { rest, items } = split(value);
  const loose = anyMembers.safeParse(rest).data;
  if (!loose) return {};
  const { url, cmd, type } = loose;
  return {
    ...(cmd && { cmd }),
    ...(url !== undefined && { url: canonicalUrl(url), rawUrl: url.slice(0, 1_000) }),
    ...(type && { type }),
    ...(items && { entries: items.length, data: items.map(shallow) }),
  };
}

/** The items of a request apart from the rest, of which one item says enough: each is looked at when it is staged. */
function split(value: unknown): { rest: unknown; items: readonly unknown[] | undefined } {
  if (typeof value !== "object" || value === null || !("data" in value) || !Array.isArray(value.data)) {
    return { rest: value, items: undefined };
  }
  return { rest: { ...value, data: value.data.slice(0, 1) }, items: value.data };
}

/** An item for the journal: what is nested in it, which no item has, is left out, however deep it goes. */
export function shallow(item: unknown): unknown {
  if (typeof item !== "object" || item === null) return item;
  for (const name in item) if (isNested(item[name as keyof typeof item])) return withoutNested(item);
  return item;
}

function withoutNested(item: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, isNested(value) ? "…" : value]));
}

function isNested(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

/** @throws {BadRequest} naming the member that is wrong. */
export function parseNodeRequest(value: unknown): NodeRequest {
  const { rest, items: data } = split(value);
  const result = members.safeParse(rest);
  if (!result.success) throw new BadRequest(describe(result.error));
  const { cmd, type } = result.data;
  const url = parseResource(result.data.url);
  if (cmd !== "insert" && cmd !== "delete" && data !== undefined)
    throw new BadRequest(`"data" has no meaning with cmd "${cmd}"`);
  if (type !== undefined && url.kind !== "mark") throw new BadRequest(`"type" has a meaning only in the list of marks`);
  if (cmd === "list") {
    if (url.kind !== "mark") return { cmd, url };
    if (type === undefined) throw new BadRequest(`the list of marks needs "type": one of ${MARK_TYPES.join(", ")}`);
    return { cmd, url, type };
  }
  if (url.kind !== "prefixset") throw new BadRequest(`cmd "${cmd}" works on prefix-sets only, not on ${url.kind}://`);
  if (cmd === "commit") return { cmd, url };
  if (data === undefined) throw new BadRequest(`cmd "${cmd}" needs "data": an array of entries`);
  return { cmd, url, data };
}

function canonicalUrl(url: string): string {
  return url.slice(0, 1_000).replace(/\/$/, "");
}

function parseResource(url: string): ResourceUrl {
  try {
    return parseUrl(url);
  } catch (error) {
    throw new BadRequest(`"url": ${messageOf(error)}`);
  }
}

function describe(error: z.ZodError): string {
  const [issue] = error.issues;
  if (!issue) return "the request is not valid";
  if (issue.code === "unrecognized_keys")
    return `unknown member ${issue.keys.map((key) => JSON.stringify(key)).join(", ")}`;
  return issue.path.length === 0 ? "the body is not a JSON object" : `"${issue.path.join(".")}": ${issue.message}`;
}
