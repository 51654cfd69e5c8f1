import { z } from "zod";
import { messageOf } from "../../model/errors";
import { MARK_TYPES, type MarkType } from "../../model/mark";
import { repeatedMember } from "../../model/repeated-member";
import { type MarkUrl, type PrefixSetUrl, parseUrl, type ResourceUrl } from "../../model/resource-url";
import type { Dialect } from "../behaviour/dialect";
import type { RefusalKind } from "../behaviour/refusal-switches";
import { BadRequest, headerText, parseJson } from "../http/request";
import type { RequestSummary } from "../journal/entry";
import { beginning } from "../journal/journal";
import type { Incoming } from "../serving/api";
import { markTypeIn } from "../validation/mark-type";

/** A well-formed request of the node API (docs/contributing/contract.md#node-endpoint). */
export type NodeRequest =
  | { readonly cmd: "list"; readonly url: Exclude<ResourceUrl, { kind: "mark" }> }
  | { readonly cmd: "list"; readonly url: MarkUrl; readonly type: MarkType }
  | { readonly cmd: "insert" | "delete"; readonly url: PrefixSetUrl; readonly data: readonly unknown[] }
  | { readonly cmd: "commit"; readonly url: PrefixSetUrl }
  /** A commit of all sets with this url, without a / at its end. */
  | { readonly cmd: "commit"; readonly place: string };

const type = z.enum(MARK_TYPES).optional();

const members = z.strictObject({
  url: z.string(),
  cmd: z.enum(["list", "insert", "delete", "commit"]),
  data: z.array(z.unknown()).min(1).optional(),
  type,
});

/** The members that are present and readable. */
const anyMembers = z.looseObject({
  url: z.string().optional().catch(undefined),
  cmd: members.shape.cmd.optional().catch(undefined),
  type: type.catch(undefined),
});

/** Reason for refusing a request or one of its items. */
export interface Refusal {
  /** A kind, whose status and form the dialect sets, or a status. */
  readonly why: RefusalKind | number;
  readonly message: string;
}

type Read = { summary: RequestSummary } & (
  | { request: NodeRequest; refusal?: undefined }
  | { request?: undefined; refusal: Refusal }
);

/** A parsed request, or the reason of its refusal; with the summary for the journal. */
export function readRequest({ method, headers, body }: Incoming, dialect: Dialect): Read {
  let summary: RequestSummary = {};
  const refusal = (why: Refusal["why"], message: string): Read => ({ summary, refusal: { why, message } });
  if (method !== "POST") return refusal(405, `the node API is called with POST, not ${method}`);
  try {
    const value = withMarkType(parseJson(body), dialect);
    summary = summarize(value);
    const repeated = dialect.duplicateMembers === "error" ? repeatedMember(body.toString("utf8"), value) : undefined;
    if (repeated !== undefined) return refusal(400, `${JSON.stringify(repeated.name)} appears twice in one object`);
    if (!isJsonType(headers["content-type"])) return refusal(400, `the header Content-Type must be application/json`);
    const request = parseNodeRequest(value, dialect);
    if ("place" in request) return { summary, request };
    const slash = slashProblem(request, summary.rawUrl ?? "", dialect);
    if (slash) return refusal(400, slash);
    const userArena = userArenaProblem(request, headers, dialect);
    return userArena ? refusal("userArena", userArena) : { summary, request };
  } catch (error) {
    if (error instanceof BadRequest) return refusal(400, error.message);
    throw error;
  }
}

/** A request with the contract's name for the type of marks: any name in any case, or the node's own word. */
function withMarkType(value: unknown, { markTypes }: Dialect): unknown {
  if (typeof value !== "object" || value === null || !("type" in value) || typeof value.type !== "string") return value;
  return { ...value, type: markTypeIn(markTypes, value.type) ?? `no type ${value.type}` };
}

/** The journal's summary of a request, valid or not. */
function summarize(value: unknown): RequestSummary {
  const { rest, items } = split(value);
  const loose = anyMembers.safeParse(rest).data;
  if (!loose) return {};
  const { url, cmd, type } = loose;
  return {
    ...(cmd && { cmd }),
    ...(url !== undefined && { url: canonicalUrl(url), rawUrl: beginning(url, 1_000) }),
    ...(type && { type }),
    ...(items && { entries: items.length, data: items.map(shallow) }),
  };
}

/** Separates the items from the request, and keeps one for the schema: each is checked when it is staged. */
function split(value: unknown): { rest: unknown; items: readonly unknown[] | undefined } {
  if (typeof value !== "object" || value === null || !("data" in value) || !Array.isArray(value.data)) {
    return { rest: value, items: undefined };
  }
  return { rest: { ...value, data: value.data.slice(0, 1) }, items: value.data };
}

/** An item for the journal, without nested content, which no valid item has. */
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
function parseNodeRequest(value: unknown, { commitUrl }: Dialect): NodeRequest {
  const { rest, items: data } = split(value);
  const result = members.safeParse(rest);
  if (!result.success) throw new BadRequest(describe(result.error));
  const { cmd, type } = result.data;
  if (cmd === "commit" && commitUrl !== "" && data === undefined && type === undefined)
    return { cmd, place: result.data.url.replace(/\/$/, "") };
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
  return beginning(url, 1_000).replace(/\/$/, "");
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

function isJsonType(header: string | string[] | undefined): boolean {
  return /^application\/json(\s*;\s*charset="?utf-8"?)?$/i.test(String(header ?? "").trim());
}

function slashProblem(
  { cmd, url }: Exclude<NodeRequest, { place: string }>,
  rawUrl: string,
  dialect: Dialect,
): string | undefined {
  if (dialect.trailingSlash === "any") return undefined;
  const needsSlash = cmd === "commit" && url.kind === "prefixset" && url.profile === undefined;
  if (rawUrl.endsWith("/") === needsSlash) return undefined;
  return needsSlash
    ? `the commit of a global prefix-set needs a url that ends with "/"`
    : `"url" must not end with "/"`;
}

function userArenaProblem(
  { url }: Exclude<NodeRequest, { place: string }>,
  headers: Incoming["headers"],
  dialect: Dialect,
): string | undefined {
  const given = headerText(String(headers["user-arena"] ?? ""));
  if (dialect.userArena === "ignored" || url.kind !== "mark" || given === url.arena) return undefined;
  if (dialect.userArena === "present" && given !== "") return undefined;
  return `the list of marks needs the header User-Arena: ${url.arena}`;
}
