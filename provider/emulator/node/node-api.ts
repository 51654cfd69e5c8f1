import { MARK_PAUSE_MS, type MarkType } from "../../model/mark";
import { formatUrl, type PrefixSetUrl } from "../../model/resource-url";
import type { Dialect } from "../behaviour/dialect";
import type { Variation } from "../behaviour/fault-kind";
import type { Api, Incoming, Interpretation } from "../http/api";
import { BadRequest, parseJson } from "../http/json-body";
import { parseJsonInSlices } from "../http/json-slices";
import { repeatedMember } from "../http/repeated-members";
import type { Reply } from "../http/reply";
import { Turnstile } from "../http/turnstile";
import type { RequestSummary } from "../journal/journal";
import type { RuleSpec } from "../rules";
import type { Change } from "../state/change";
import type { Contents } from "../state/contents";
import type { ProfileHoldings } from "../state/holdings";
import type { CommitRecord, PrefixSetStore } from "../state/prefix-set-store";
import type { VirtualClock } from "../time/clock";
import { atOnce, inSlices, type SlicedWork, whenDone } from "../time/slices";
import { MarkPace } from "./mark-pace";
import { failure, list, listMarks, success } from "./node-replies";
import { type NodeRequest, parseNodeRequest, summarize, urlAhead } from "./node-request";
import { type Refusal, stageDelete, stageInsert } from "./prefix-set-commands";
import { listSet } from "./set-list";

/** Bytes of a body that is read in one go: a few milliseconds of it. */
const SHORT = 2 ** 17;

/** What the node API works on. */
export interface NodeSubject {
  readonly contents: Contents;
  readonly dialect: Dialect;
  readonly clock: VirtualClock;
  /** Is called after every change of what is held. */
  changed(change: Change): void;
}

/** The node API: `POST /fapi` (docs/contract.md#node-endpoint). What the contract does not promise is refused. */
export class NodeApi implements Api {
  private readonly pace: MarkPace;
  private readonly order = new Turnstile();

  constructor(private readonly subject: NodeSubject) {
    this.pace = new MarkPace(() => subject.clock.ms);
  }

  interpret(request: Incoming): Interpretation | Promise<Interpretation> {
    const { body } = request;
    const work = readRequest(request, this.subject.dialect);
    if (this.order.isFree && body.length <= SHORT) return this.understand(atOnce(work));
    return this.inTurn(body.length <= SHORT ? atOnce(work) : work, urlAhead(body));
  }

  /** Long requests are read slice by slice, while shorter ones of other resources pass. */
  private async inTurn(work: Read | SlicedWork<Read>, url: string | undefined): Promise<Interpretation> {
    const { turn, leave } = this.order.enter(url);
    try {
      const read = "summary" in work ? work : await inSlices(work);
      await turn;
      return this.understand(read);
    } finally {
      leave();
    }
  }

  private understand(read: Read): Interpretation {
    const error: Interpretation["error"] = (why, message) => failure(why, message, this.subject.dialect);
    if (read.refusal) {
      const { refusal: why } = read;
      return { summary: read.summary, error, run: () => this.refuse(why) };
    }
    const run: Interpretation["run"] = (variation, committed) => this.carryOut(read.request, variation, committed);
    if (read.request.url.kind !== "mark") return { summary: read.summary, error, run };
    const turn = this.pace.begin(read.summary, this.subject.dialect.markPace);
    const summary = { ...read.summary, ...(turn.tooSoon && { tooSoon: true }) };
    if (turn.retryAfter === undefined) return { summary, error, run, over: turn.over };
    // 429 in every form of errors: it is what Retry-After goes with.
    const tooSoon = error(429, `too soon: two lists of marks must be ${MARK_PAUSE_MS / 1000} s apart`);
    const headers = { "retry-after": String(turn.retryAfter) };
    return { summary, error, run: () => ({ ...tooSoon, status: 429, headers }), over: turn.over };
  }

  private carryOut(
    request: NodeRequest,
    variation: Variation,
    committed: (record: CommitRecord) => void,
  ): Reply | Promise<Reply> {
    const { dialect } = this.subject;
    const { holdings, packetPath } = this.subject.contents;
    const refuse = (why: Refusal) => this.refuse(why);
    const { url } = request;
    if (url.kind === "arena") {
      const arena = holdings.arenas.get(url.arena);
      if (!arena) return refuse(unknown("arena", url.arena));
      const { nameKey } = dialect;
      const records = [...arena.profiles.values()].map(({ name, extra }) => ({ [nameKey]: name, ...extra }));
      return list(records, dialect, "profiles");
    }
    if (url.kind !== "prefixset") {
      const profile = holdings.profile(url.arena, url.profile);
      if (!profile) return refuse(unknown("profile", `${url.arena}/${url.profile}`));
      if (url.kind === "profile")
        return list(
          profile.rules.map((rule) => ruleRecord(rule, dialect)),
          dialect,
          "rules",
        );
      const type = markType(request);
      if (dialect.missingTable === "error" && !hasTable(profile, type)) {
        return refuse(unknown("table", `${type} of ${url.arena}/${url.profile}`));
      }
      return listMarks(packetPath.marks(url.arena, url.profile), type, dialect);
    }
    return this.carryOutOnSet(request, url, variation, committed);
  }

  /** Commands of one set take effect one after the other, each as a whole. */
  private carryOutOnSet(
    request: NodeRequest,
    url: PrefixSetUrl,
    variation: Variation,
    committed: (record: CommitRecord) => void,
  ): Reply | Promise<Reply> {
    const { dialect } = this.subject;
    const { holdings } = this.subject.contents;
    const refuseUnknown = () =>
      this.refuse(unknown("prefix-set", [url.arena, url.profile, url.set].filter(Boolean).join("/")));
    const isMade = dialect.unknownSet === "made";
    const set = holdings.set(url) ?? (isMade ? holdings.newSet(url) : undefined);
    if (!set) return refuseUnknown();
    return set.line.run(() => {
      const isNew = holdings.set(url) === undefined;
      if (isNew && request.cmd !== "insert") {
        if (!set.line.isBusy) holdings.drop(url);
        return refuseUnknown();
      }
      if (request.cmd === "list") return this.list(set, variation);
      if (request.cmd === "commit") return this.commit(set, formatUrl(url), variation, committed);
      const { data } = request;
      const stage = request.cmd === "insert" ? stageInsert : stageDelete;
      const draft = set.draft();
      return whenDone(inSlices(stage(set, data, dialect, draft)), (problem) => {
        if (isNew && set.changes.size > 0) holdings.keep(url, set);
        else if (isNew && !set.line.isBusy) holdings.drop(url);
        if (draft.isKept) this.subject.changed({ kind: "staged", url: formatUrl(url), changes: draft.changes });
        return problem ? this.refuse(problem) : success(data.length, dialect);
      });
    });
  }

  private list(set: PrefixSetStore, variation: Variation): Reply | Promise<Reply> {
    const { dialect } = this.subject;
    const which = variation.stale ? "previous" : dialect.listShows;
    return whenDone(inSlices(set.listing(which)), (entries) => listSet(entries, set.ownSpellings(), dialect));
  }

  private refuse({ why, message }: Refusal): Reply {
    return failure(why, message, this.subject.dialect);
  }

  private commit(
    set: PrefixSetStore,
    url: string,
    variation: Variation,
    committed: (record: CommitRecord) => void,
  ): Reply | Promise<Reply> {
    const { dialect, clock } = this.subject;
    const count = set.changes.size;
    if (count === 0 && dialect.emptyCommit === "error") {
      return this.refuse({ why: "nothingStaged", message: "nothing to commit" });
    }
    const delay = variation.commitDelay ?? dialect.commitDelay;
    if (delay === Number.POSITIVE_INFINITY) {
      if (!variation.keepStaged) {
        set.discard();
        this.subject.changed({ kind: "taken", url });
      }
      return success(count, dialect);
    }
    const { changes } = set;
    const apply = set.commit();
    if (delay === 0) {
      return whenDone(inSlices(apply()), (record) => {
        committed(record);
        this.subject.changed({ kind: "committed", url });
        return success(count, dialect);
      });
    }
    this.subject.changed({ kind: "taken", url });
    // In one go: what falls due in a jump of the clock has happened when the jump is over.
    clock.after(delay, () => {
      committed(atOnce(apply()));
      this.subject.changed({ kind: "applied", url, changes });
    });
    return success(count, dialect);
  }
}

/** The type of a request that was read as a list of marks. */
function markType(request: NodeRequest): MarkType {
  return "type" in request ? request.type : "shost";
}

const ACTIONS = { shost: "hmark", dhost: "dhmark", sdhost: "sdhmark", conn: "connmark" } as const;

/** True when a rule of the profile makes such marks, or when it started with some. */
function hasTable({ rules, marks }: ProfileHoldings, type: MarkType): boolean {
  if (marks[type] !== undefined) return true;
  const actions = rules.flatMap((rule) => rule.actions ?? []);
  return actions.some((action) => typeof action !== "string" && action[ACTIONS[type]] !== undefined);
}

/** A rule as it is listed; what another node had in its record stands beside what the engine knows. */
function ruleRecord({ extra, id, name, ...rule }: RuleSpec, { idKey, nameKey }: Dialect): Record<string, unknown> {
  return {
    ...(id !== undefined && { [idKey]: id }),
    ...(name !== undefined && { [nameKey]: name }),
    ...rule,
    ...extra,
  };
}

type Read = { summary: RequestSummary } & (
  | { request: NodeRequest; refusal?: undefined }
  | { request?: undefined; refusal: Refusal }
);

function* readRequest({ method, headers, body }: Incoming, dialect: Dialect): SlicedWork<Read> {
  let summary: RequestSummary = {};
  const refusal = (why: Refusal["why"], message: string): Read => ({ summary, refusal: { why, message } });
  if (method !== "POST") return refusal(405, `the node API is called with POST, not ${method}`);
  try {
    const value = body.length <= SHORT ? parseJson(body) : yield* parseJsonInSlices(body, "data");
    summary = yield* summarize(value);
    const repeated = dialect.duplicateMembers === "error" ? yield* repeatedMember(body, value) : undefined;
    if (repeated !== undefined) return refusal(400, `${JSON.stringify(repeated)} stands twice in one object`);
    if (!isJsonType(headers["content-type"])) return refusal(400, `the header Content-Type must be application/json`);
    const request = parseNodeRequest(value);
    const slash = slashProblem(request, summary.rawUrl ?? "", dialect);
    if (slash) return refusal(400, slash);
    const userArena = userArenaProblem(request, headers, dialect);
    return userArena ? refusal("userArena", userArena) : { summary, request };
  } catch (error) {
    if (error instanceof BadRequest) return refusal(400, error.message);
    throw error;
  }
}

function isJsonType(header: string | string[] | undefined): boolean {
  return /^application\/json(\s*;\s*charset="?utf-8"?)?$/i.test(String(header ?? "").trim());
}

function slashProblem({ cmd, url }: NodeRequest, rawUrl: string, dialect: Dialect): string | undefined {
  if (dialect.trailingSlash === "any") return undefined;
  const wanted = cmd === "commit" && url.kind === "prefixset" && url.profile === undefined;
  if (rawUrl.endsWith("/") === wanted) return undefined;
  return wanted ? `the commit of a global prefix-set needs a url that ends with "/"` : `"url" must not end with "/"`;
}

function userArenaProblem({ url }: NodeRequest, headers: Incoming["headers"], dialect: Dialect): string | undefined {
  const given = headers["user-arena"];
  if (dialect.userArena === "ignored" || url.kind !== "mark" || given === url.arena) return undefined;
  if (dialect.userArena === "present" && given !== undefined && given !== "") return undefined;
  return `the list of marks needs the header User-Arena: ${url.arena}`;
}

function unknown(kind: string, name: string): Refusal {
  return { why: "unknown", message: `unknown ${kind} ${name}` };
}
