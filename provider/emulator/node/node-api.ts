import { MARK_PAUSE_MS, type MarkType } from "../../model/mark";
import { type PrefixSetUrl, parseUrl, type ResourceUrl } from "../../model/resource-url";
import type { Dialect } from "../behaviour/dialect";
import type { Variation } from "../behaviour/fault-kind";
import { type Reply, text } from "../http/reply";
import { isAuthorized } from "../http/request";
import { type TemplateFields, writeByTemplate } from "../http/template";
import type { NodeAuth } from "../options";
import type { RuleSpec } from "../rules/rule-schema";
import { type Api, type Head, type Incoming, type Interpretation, REDIRECTED } from "../serving/api";
import type { Simulation } from "../simulation";
import { type CommitRecord, commitOfSets } from "../state/commit-record";
import type { ProfileHoldings } from "../state/holdings";
import { PrefixSetStore } from "../state/prefix-set-store";
import { markType } from "../validation/mark-type";
import { inheritedNameProblem } from "../validation/strict";
import { listMarks } from "./mark-list";
import { MarkPace } from "./mark-pace";
import { failure, formatOf, list, listLines, success } from "./node-replies";
import { type NodeRequest, type Refusal, readRequest } from "./node-request";
import { stage } from "./prefix-set-commands";
import { listSet } from "./set-list";

/** The node API: `POST /fapi` (docs/contributing/contract.md#node-endpoint). Refuses requests that the contract does not define. */
export class NodeApi implements Api {
  private pace = this.newPace();

  constructor(private readonly simulation: Simulation) {
    simulation.onReset(() => {
      this.pace = this.newPace();
    });
  }

  /** Answers a request unread: without credentials, or if the node API is at another path. */
  admit(request: Head): Reply | undefined {
    const { auth } = this.simulation.options;
    if (auth && !isAuthorized(request, authorization(auth))) {
      const scheme = "bearer" in auth ? "Bearer" : 'Basic realm="node"';
      const refusal = this.refuse({ why: "credentials", message: "unauthorized" });
      return { ...refusal, headers: { "www-authenticate": scheme } };
    }
    const { redirect } = this.simulation.dialect;
    const isMoved = request.url === REDIRECTED;
    if (redirect === "none") return isMoved ? this.refuse({ why: 404, message: "unknown path" }) : undefined;
    if (isMoved) return undefined;
    const { endpoint } = this.simulation.addresses;
    const location = (redirect === "307-elsewhere" ? otherName(endpoint) : endpoint) + REDIRECTED;
    return { status: Number.parseInt(redirect, 10), body: "", headers: { location } };
  }

  interpret(incoming: Incoming): Interpretation {
    const { dialect } = this.simulation;
    const { summary, request, refusal } = readRequest(incoming, dialect);
    const error: Interpretation["error"] = (why, message) => failure(why, message, this.simulation.dialect);
    if (refusal) return { summary, error, run: () => this.refuse(refusal) };
    if ("place" in request) return { summary, error, run: (...given) => this.commitAll(request.place, ...given) };
    const run = this.effect(request);
    if (request.url.kind !== "mark") return { summary, error, run };
    const turn = this.pace.begin(summary, dialect.markPace);
    const noted = { ...summary, ...(turn.tooSoon && { tooSoon: true }) };
    if (turn.retryAfter === undefined) return { summary: noted, error, run, over: turn.over };
    // 429 whatever the form of errors, since Retry-After needs it.
    const tooSoon = error(429, `too soon: two lists of marks must be ${MARK_PAUSE_MS / 1000} s apart`);
    const headers = { "retry-after": String(turn.retryAfter) };
    return { summary: noted, error, run: () => ({ ...tooSoon, status: 429, headers }), over: turn.over };
  }

  /** The function that carries a request out, with content and dialect at the time of its call. */
  private effect(request: Exclude<NodeRequest, { place: string }>): Interpretation["run"] {
    if ("type" in request) return () => this.listMarks(request.url, request.type);
    if ("data" in request) return () => this.stage(request);
    const { cmd, url } = request;
    if (url.kind === "arena") return () => this.listProfiles(url);
    if (url.kind === "profile") return () => this.listRules(url);
    if (cmd === "list") return ({ stale }) => this.onSet(url, (set) => this.listEntries(set, url, stale));
    return (variation, committed) =>
      this.onSet(url, (set) => this.commit([set], variation, ([record]) => record && committed(record)));
  }

  private listProfiles(url: Listed<"arena">): Reply {
    const { dialect, contents } = this.simulation;
    const arena = contents.holdings.arenas.get(url.arena);
    if (!arena) return this.refuse(unknown("arena", url.arena));
    const { nameKey, profilesTemplate } = dialect;
    const record = ({ name, extra }: ProfileHoldings) => withOwn({ [nameKey]: name }, extra);
    const profiles = [...arena.profiles.values()].map((it) => ({ fields: { name: it.name }, record: record(it) }));
    return listRecords(profiles, [nameKey], profilesTemplate, url, dialect);
  }

  private listRules(url: Listed<"profile">): Reply {
    const { dialect, contents } = this.simulation;
    const { arena, profile } = url;
    const holdings = contents.holdings.profile(arena, profile);
    if (!holdings) return this.refuse(unknown("profile", `${arena}/${profile}`));
    const { idKey, nameKey, rulesTemplate } = dialect;
    const rules = holdings.rules.map((rule) => {
      return { fields: { id: rule.id, name: rule.name }, record: ruleRecord(rule, dialect) };
    });
    return listRecords(rules, [idKey, nameKey], rulesTemplate, url, dialect);
  }

  private listMarks(url: Listed<"mark">, type: MarkType): Reply {
    const { dialect, contents } = this.simulation;
    const { arena, profile } = url;
    const holdings = contents.holdings.profile(arena, profile);
    if (!holdings) return this.refuse(unknown("profile", `${arena}/${profile}`));
    if (dialect.missingTable === "error" && !hasTable(holdings, type)) {
      return this.refuse(unknown("table", `${type} of ${arena}/${profile}`));
    }
    return listMarks(contents.packetPath.marks(arena, profile), url, type, dialect);
  }

  private onSet(url: PrefixSetUrl, command: (set: PrefixSetStore) => Reply): Reply {
    const set = this.simulation.contents.holdings.set(url);
    return set ? command(set) : this.refuse(unknown("prefix-set", nameOf(url)));
  }

  private stage({ cmd, url, data }: Extract<NodeRequest, { data: unknown }>): Reply {
    const { dialect, contents } = this.simulation;
    const sets = contents.holdings.setsAt(url);
    const isMade = cmd === "insert" && dialect.unknownSet === "made";
    const set = sets?.get(url.set) ?? (isMade ? new PrefixSetStore() : undefined);
    if (!sets || !set) return this.refuse(unknown("prefix-set", nameOf(url)));
    // Any other set comes from a state, which has no such name.
    const problem = inheritedNameProblem(url.set);
    if (problem) return this.refuse({ why: 400, message: `the name ${JSON.stringify(url.set)} ${problem}` });
    const { refusal, isStaged } = stage(cmd, set, data, dialect);
    if (isStaged) {
      sets.set(url.set, set);
      this.simulation.changed("content");
    }
    return refusal ? this.refuse(refusal) : success(data.length, dialect.success, dialect[`${cmd}Text`]);
  }

  private listEntries(set: PrefixSetStore, url: PrefixSetUrl, stale = false): Reply {
    const { dialect } = this.simulation;
    const shown = stale ? "previous" : dialect.listShows;
    const { entries, spellings } = set.listed(shown);
    return listSet(entries, spellings, url, dialect);
  }

  /** Commits all sets whose commit has this url. */
  private commitAll(place: string, variation: Variation, committed: (record: CommitRecord) => void): Reply {
    const { dialect, contents } = this.simulation;
    const sets = [...contents.holdings.sets()].filter(([url]) => commitPlace(url, dialect.commitUrl) === place);
    if (sets.length === 0) return this.refuse(unknown("prefix-set", place));
    const waiting = sets.filter(([, set]) => set.changes.size > 0);
    const urls = waiting.map(([url]) => url);
    return this.commit(
      waiting.map(([, set]) => set),
      variation,
      (records) => committed(commitOfSets(urls, records)),
    );
  }

  private commit(
    sets: readonly PrefixSetStore[],
    variation: Variation,
    committed: (records: readonly CommitRecord[]) => void,
  ): Reply {
    const { dialect } = this.simulation;
    const count = sets.reduce((sum, { changes }) => sum + changes.size, 0);
    if (count === 0 && dialect.emptyCommit === "error") {
      return this.refuse({ why: "nothingStaged", message: "nothing to commit" });
    }
    if (sets.length > 0) this.publish(sets, variation, committed);
    if (count > 0) this.simulation.changed("content");
    return success(count, dialect.success, dialect.commitText);
  }

  private publish(
    sets: readonly PrefixSetStore[],
    variation: Variation,
    committed: (records: readonly CommitRecord[]) => void,
  ): void {
    const { dialect, clock, contents } = this.simulation;
    const delay = variation.commitDelay ?? dialect.commitDelay;
    if (delay === Number.POSITIVE_INFINITY) {
      if (!variation.keepStaged) for (const set of sets) set.discard();
      return;
    }
    const waiting = sets.map((set) => set.commit());
    const apply = () => committed(waiting.map((change) => change()));
    if (delay === 0) {
      apply();
      return;
    }
    clock.after(delay, () => {
      // The set was replaced by another state.
      if (this.simulation.contents !== contents) return;
      apply();
      this.simulation.changed("content");
    });
  }

  private newPace(): MarkPace {
    return new MarkPace(() => this.simulation.clock.ms);
  }

  private refuse({ why, message }: Refusal): Reply {
    const reply = failure(why, message, this.simulation.dialect);
    // RFC 9110, 15.5.6.
    return why === 405 ? { ...reply, headers: { allow: "POST" } } : reply;
  }
}

/** A list of records in the form of the dialect. Of lines without names, a record is its fields alone. */
function listRecords(
  listed: readonly { readonly fields: TemplateFields; readonly record: object }[],
  names: readonly string[],
  template: string,
  url: ResourceUrl,
  dialect: Dialect,
): Reply {
  const fields = listed.map((one) => one.fields);
  if (template !== "") return text(200, writeByTemplate(template, fields));
  const records = listed.map(({ record }) => record);
  const format = formatOf(url, dialect);
  if (format === "json") return list(records, dialect, url);
  return listLines(format === "ndjson" ? records : fields, format, names);
}

type Listed<Kind> = Extract<ResourceUrl, { kind: Kind }>;

function nameOf({ arena, profile, set }: PrefixSetUrl): string {
  return [arena, profile, set].filter(Boolean).join("/");
}

/** True if a rule of the profile makes such marks, or the state has some. */
function hasTable({ rules, marks }: ProfileHoldings, type: MarkType): boolean {
  if (marks[type] !== undefined) return true;
  const actions = rules.flatMap((rule) => rule.actions ?? []);
  return actions.some(
    (action) => typeof action !== "string" && Object.keys(action).some((name) => markType(name) === type),
  );
}

/** Url of the commit of a set, by the dialect, without a / at its end. */
function commitPlace(url: string, form: string): string {
  const names: Partial<Record<string, string>> = { ...parseUrl(url) };
  const place = form.replace(/(\/?)\{(\w+)\}/g, (_, slash: string, name: string) => {
    const own = names[name];
    return own === undefined ? "" : slash + own;
  });
  return place.replace(/\/$/, "");
}

/** A listed rule: the members of the engine, and further ones that another node's record had. */
function ruleRecord({ extra, id, name, ...rule }: RuleSpec, { idKey, nameKey }: Dialect): Record<string, unknown> {
  const own = { ...(id !== undefined && { [idKey]: id }), ...(name !== undefined && { [nameKey]: name }) };
  return withOwn(own, { ...rule, ...extra });
}

/** A record that begins with its own members, which no other one replaces. */
function withOwn(own: object, others: object): Record<string, unknown> {
  return { ...own, ...others, ...own };
}

function unknown(kind: string, name: string): Refusal {
  return { why: "unknown", message: `unknown ${kind} ${name}` };
}

/** Value of the header that the node requires. */
export function authorization(auth: NodeAuth): string {
  if ("bearer" in auth) return `Bearer ${auth.bearer}`;
  return `Basic ${Buffer.from(`${auth.basic.user}:${auth.basic.password}`).toString("base64")}`;
}

/** The same server by another host name, which is another origin. */
function otherName(origin: string): string {
  const url = new URL(origin);
  url.hostname = url.hostname === "localhost" ? "127.0.0.1" : "localhost";
  return url.origin;
}
