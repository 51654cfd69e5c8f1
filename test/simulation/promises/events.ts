import type { JournalEntry } from "../../../provider/emulator/journal/entry";
import type { AnyEvent, EventKind, EventOf } from "../../../provider/messages/events";
import { madeOnce } from "../../../provider/model/prefix-map";
import type { CommandRecord, World } from "../simulation";
import { originOf } from "../simulation";
import { START } from "../world/machines";
import { canonical, isMutating } from "./model";
import type { Promised } from "./promise";

/** A run says that it did or found only what its own requests and their answers show, in a preview, too. */
export const eventsAreBorneOut: Promised = {
  number: 12,
  name: "what is said has happened",
  judge: ({ world, record: { done, preview } }) =>
    [...new Set([preview, done])].flatMap((record) =>
      (record?.events ?? []).flatMap(eachPlace).flatMap((told) => {
        const { event } = told;
        const judge = BORNE_OUT[event.kind] as Judge<EventKind> | undefined;
        const facts = new Facts(world, record as CommandRecord, told);
        if (judge && !facts.hasPlace)
          return [`"${event.kind}" of ${event.url ?? "a signaling"} names no node or receiver`];
        return (judge?.(event, facts) ?? []).map(
          (prefix) => `${event.at} ${event.url ?? "signaling"}: "${event.kind}" of ${prefix} is not borne out`,
        );
      }),
    ),
};

/** An event of several nodes, as one of each. */
function eachPlace(told: CommandRecord["events"][number]): CommandRecord["events"][number][] {
  const { event } = told;
  return event.kind === "notReached" ? event.nodes.map((at) => ({ ...told, event: { ...event, at } })) : [told];
}

/** Prefixes of an event, or its kind, that no request of the run or no answer to it bears out. */
type Judge<K extends EventKind> = (event: EventOf<K>, facts: Facts) => readonly string[];

/** Outputs with the entries of a set: those of all nodes, and what differs at each. */
interface HeldOutputs {
  readonly url?: string;
  readonly entries?: object;
  readonly differs?: Readonly<Record<string, object>>;
}

/** Faults after which a list with status 200 shows nothing to a run. */
const NOT_READ = ["unknown-shape", "truncated", "lost-answer"];

/** Faults after which an answer is late, or breaks off. */
const UNANSWERED = ["delay", "slow-commit", "truncated", "refuse", "restart"];

/** A list or status that the run was answered, and what it shows. */
interface Shown {
  readonly index: number;
  readonly entries: ReadonlyMap<string, number>;
}

/** Requests of a run at the place of an event. */
class Facts {
  /** Those before it was reported. */
  readonly requests: readonly JournalEntry[];
  /** Those of the whole run. */
  readonly whole: readonly JournalEntry[];
  private readonly all: readonly JournalEntry[];
  private readonly name: string;
  /** False for an event without the name or the address of a node or receiver, of which nothing can be judged. */
  readonly hasPlace: boolean;

  constructor(
    private readonly world: World,
    private readonly record: CommandRecord,
    readonly told: CommandRecord["events"][number],
  ) {
    const { at = "", url } = told.event;
    const origin = [...world.nodes.keys(), ...world.machines.keys()].find((name) => isAt(originOf(name), at));
    const name = origin ?? at;
    const machine = world.nodes.get(name) ?? world.machines.get(name);
    this.name = machine?.name ?? name;
    this.hasPlace = machine !== undefined;
    const ofObject = (machine?.journal ?? []).filter((entry) => entry.url === url);
    this.all = ofObject.filter((entry) => timeOf(entry) <= told.at);
    this.whole = ofObject.filter(({ label }) => label === record.label);
    this.requests = this.whole.filter((entry) => timeOf(entry) <= told.at);
  }

  /** Lists or statuses of the run. With `ever`: of any run of its stack so far. */
  shown(ever = false): Shown[] {
    const stack = this.record.label.split(" ")[0];
    const requests = ever ? this.all.filter(({ label }) => label?.split(" ")[0] === stack) : this.requests;
    return requests.flatMap((entry) =>
      entry.status === 200 && (entry.cmd === "list" || entry.op === "status") && !NOT_READ.includes(entry.fault ?? "")
        ? [{ index: entry.index, entries: entriesIn(entry) }]
        : [],
    );
  }

  get isRefresh(): boolean {
    return this.record.steps.some(({ op }) => op === "refresh");
  }

  isShown(prefix: string, value?: unknown, ever = false): boolean {
    return this.shown(ever).some(({ entries }) =>
      value === undefined ? entries.has(prefix) : entries.get(prefix) === value,
    );
  }

  /** True if the run saw a prefix before it sent it, or was told so by the refusal of each start. */
  wasThere(prefix: string): boolean {
    const starts = this.sent("start", prefix);
    const [first] = [...this.sent("insert", prefix), ...starts];
    const isRefused = starts.length > 0 && starts.every(({ answer = "" }) => /already active|invalid/.test(answer));
    return (
      isRefused || this.shown().some(({ index, entries }) => entries.has(prefix) && !(first && index > first.index))
    );
  }

  isAbsent(prefix: string): boolean {
    return this.shown().some(({ entries }) => !entries.has(prefix));
  }

  /** Requests of a command about a prefix. */
  sent(what: "insert" | "delete" | "start" | "stop", prefix: string, requests = this.requests): JournalEntry[] {
    return requests.filter((entry) => (entry.cmd === what || entry.op === what) && hasIn(entry, prefix));
  }

  /** True if another run of this stack, or `byAny` other, sent a change of a prefix before, which may have had no effect. */
  wasSent(prefix: string, byAny = false): boolean {
    const stack = this.record.label.split(" ")[0];
    const isEarlier = ({ label }: JournalEntry) =>
      label !== this.record.label && (byAny || label?.split(" ")[0] === stack);
    const earlier = this.all.filter(isEarlier);
    return (["insert", "delete", "start"] as const).some((what) => this.sent(what, prefix, earlier).length > 0);
  }

  /** True if the run sent a change of a prefix, a commit after it, and got a list that shows the outcome. */
  isDone(what: "insert" | "delete", prefix: string): boolean {
    return this.sent(what, prefix).some((change) => {
      const commit = this.requests.find(({ cmd, index }) => cmd === "commit" && index > change.index);
      return (
        commit !== undefined &&
        this.shown().some(({ index, entries }) => index > commit.index && entries.has(prefix) === (what === "insert"))
      );
    });
  }

  /** True unless the whole run ends with a removal or a stop of a prefix: some nodes need a delete before an insert of another value. */
  isLeft(prefix: string): boolean {
    const isChange = (entry: JournalEntry) => isMutating(entry) && entry.cmd !== "commit" && hasIn(entry, prefix);
    const last = this.whole.findLast(isChange);
    return last?.cmd !== "delete" && last?.op !== "stop";
  }

  /** True where the engine deletes a resource that held a prefix here: it tells no provider of one that waits for its delete since an earlier run. */
  isOfDeleted(prefix: string): boolean {
    return this.record.steps.some(({ op, old }) => {
      const { url, entries = {}, differs = {} } = (old?.outputs ?? {}) as HeldOutputs;
      if (op !== "delete" || url !== this.told.event.url) return false;
      const here = Object.entries(differs).filter(([node]) => this.world.nodes.get(node)?.name === this.name);
      return prefix in entries || here.some(([, found]) => prefix in found);
    });
  }

  /** True if a list after a commit of this run does not show the outcome of a change of a prefix: of the last one of some process. */
  isMissed(prefix: string): boolean {
    const changes = [...this.sent("insert", prefix), ...this.sent("delete", prefix)];
    return this.shown().some(({ index, entries }) => {
      const commit = this.requests.findLast((entry) => entry.cmd === "commit" && entry.index < index);
      const committed = changes.filter((change) => change.index < (commit?.index ?? 0));
      return committed.some((change) => entries.get(prefix) !== valueIn(change, prefix));
    });
  }

  /** True if the run got different lists before and after a commit of its own, and sent no change of the prefix itself. */
  isByOthers(prefix: string): boolean {
    const values = new Set(this.shown().map(({ entries }) => entries.get(prefix)));
    return values.size > 1 && this.requests.some(({ cmd }) => cmd === "commit");
  }

  /** True if a request had no usable answer, or could not be made. @param isSilent True: it had none at all */
  isUnanswered(isSilent = false): boolean {
    const { told, world, record } = this;
    const outage = world.acts.some(
      ({ act, at }) => act.actor === "outage" && act.at === this.name && at >= record.began && at <= told.at,
    );
    const machine = world.machines.get(this.name);
    const labelled = (machine?.journal ?? []).filter(
      (entry) => entry.label === record.label && timeOf(entry) <= told.at,
    );
    const isOpen = (entry: JournalEntry) =>
      (isSilent
        ? entry.status === undefined || UNANSWERED.includes(entry.fault ?? "")
        : entry.status !== 200 || entry.fault !== undefined) ||
      timeOf(entry) + (entry.durationMs ?? 0) + LATE_MS > told.at;
    const isInParts = !isSilent && machine !== undefined && machine.most < Number.POSITIVE_INFINITY;
    return !told.isUp || outage || isInParts || labelled.some(isOpen);
  }
}

/** True for an address at an origin: that of a receiver has a path. */
const isAt = (origin: string, address: string) => address === origin || address.startsWith(`${origin}/`);

/** Longest way of an answer in the simulated network, in milliseconds. */
const LATE_MS = 12;

const none = (prefixes: readonly string[], isBorneOut: (prefix: string) => boolean) =>
  prefixes.filter((prefix) => !isBorneOut(prefix));
const whole = (event: AnyEvent, isBorneOut: boolean) => (isBorneOut ? [] : [event.kind]);

/** Kinds that claim what a journal can show. The others are plans, which other promises judge, addresses, errors, and work between requests. */
const BORNE_OUT: { readonly [K in EventKind]?: Judge<K> } = {
  notShown: ({ prefixes }, facts) => none(prefixes, (prefix) => facts.isMissed(prefix)),
  published: ({ inserted, removed, changed }, facts) =>
    none([...inserted, ...removed, ...changed], (prefix) => facts.isByOthers(prefix)),
  restored: (event, facts) =>
    none(event.prefixes, (prefix) =>
      event.url === undefined ? facts.sent("start", prefix).length > 0 : facts.isDone("insert", prefix),
    ),
  protected: ({ prefixes }, facts) => none(prefixes, (prefix) => facts.isLeft(prefix)),
  alreadyThere: ({ prefixes }, facts) => none(prefixes, (prefix) => facts.wasThere(prefix)),
  adopted: ({ entries }, facts) =>
    entries.filter(({ prefix, value }) => !facts.isShown(prefix, value)).map(({ prefix }) => prefix),
  removed: ({ prefixes }, facts) => none(prefixes, (prefix) => facts.isShown(prefix) && facts.isDone("delete", prefix)),
  goneBefore: ({ prefixes, isEmpty }, facts) =>
    none(prefixes, (prefix) =>
      facts.shown().some(({ entries }) => !entries.has(prefix) && (!isEmpty || entries.size === 0)),
    ),
  setAbsent: (event, facts) =>
    whole(
      event,
      facts.requests.some(({ cmd, status = 0 }) => cmd === "list" && status >= 400),
    ),
  left: ({ prefixes }, facts) => none(prefixes, (prefix) => facts.isLeft(prefix)),
  leftUnknown: ({ prefixes }, facts) => none(prefixes, (prefix) => facts.isShown(prefix) && facts.isLeft(prefix)),
  leftDeclared: ({ prefixes }, facts) => none(prefixes, (prefix) => facts.isLeft(prefix)),
  leftUndeclared: ({ undeclared, different }, facts) =>
    none([...undeclared, ...different], (prefix) => facts.isShown(prefix)),
  missing: ({ prefixes }, facts) => none(prefixes, (prefix) => facts.isAbsent(prefix)),
  different: ({ entries }, facts) =>
    entries.filter(({ prefix, value }) => !facts.isShown(prefix, value)).map(({ prefix }) => prefix),
  lacked: ({ prefixes }, facts) =>
    none(prefixes, (prefix) => {
      const values = new Set(facts.shown(true).map(({ entries }) => entries.get(prefix)));
      return values.has(undefined) || values.size > 1;
    }),
  undeclared: ({ removes, keeps }, facts) => [
    ...none([...removes, ...keeps], (prefix) => facts.isShown(prefix)),
    ...none(keeps, (prefix) => facts.isLeft(prefix) || facts.isOfDeleted(prefix)),
  ],
  interrupted: ({ prefixes }, facts) =>
    none(prefixes, (prefix) => facts.isShown(prefix, undefined, true) && facts.wasSent(prefix)),
  leftStaged: ({ prefixes }, facts) => none(prefixes, (prefix) => facts.wasSent(prefix, true)),
  foreign: ({ entries, outcome }, facts) => {
    // An earlier refresh found what is "found" at an address that a resource leaves, and that this run does not ask.
    const ever = (outcome === "found" && !facts.isRefresh) || facts.shown().length === 0 || facts.isUnanswered();
    return entries.filter(({ prefix, value }) => !facts.isShown(prefix, value, ever)).map(({ prefix }) => prefix);
  },
  adoptedEntry: ({ prefixes, held }, facts) => none(prefixes, (prefix) => facts.isShown(prefix, held, true)),
  leaves: ({ kept }, facts) => none(kept, (prefix) => facts.isLeft(prefix)),
  notCleared: (event, facts) => whole(event, !facts.whole.some(({ cmd }) => cmd === "delete")),
  unreadable: (event, facts) => whole(event, facts.isUnanswered()),
  silent: (event, facts) => whole(event, facts.isUnanswered(event.is === "silent")),
  notReached: (event, facts) => whole(event, facts.isUnanswered(true)),
  notRefreshed: (event, facts) => whole(event, facts.isUnanswered(true)),
  activeBefore: ({ prefixes }, facts) => none(prefixes, (prefix) => facts.wasThere(prefix)),
  notActive: ({ prefixes }, facts) => none(prefixes, (prefix) => facts.isAbsent(prefix)),
  interruptedStart: ({ prefixes }, facts) => none(prefixes, (prefix) => facts.isShown(prefix) && facts.wasSent(prefix)),
  startedAgain: ({ prefixes }, facts) =>
    none(prefixes, (prefix) => facts.sent("stop", prefix).length > 0 && facts.sent("start", prefix).length > 0),
  leftActive: ({ prefixes }, facts) => none(prefixes, (prefix) => facts.sent("stop", prefix).length === 0),
  leftAsFound: ({ prefixes }, facts) => none(prefixes, (prefix) => facts.sent("stop", prefix).length === 0),
  outcomeUnknown: ({ prefixes, operation }, facts) =>
    none(prefixes, (prefix) => facts.sent(operation, prefix).some(({ status = 0 }) => status < 300)),
  stopRefused: ({ prefixes }, facts) =>
    none(prefixes, (prefix) => {
      const { status = 0, refused = status >= 400 } = facts.sent("stop", prefix).at(-1) ?? {};
      return refused && facts.isAbsent(prefix);
    }),
  receiverUnreadable: (event, facts) => whole(event, facts.isUnanswered()),
};

function timeOf({ time }: JournalEntry): number {
  return Date.parse(time) - START;
}

function prefixOf(item: unknown): string | undefined {
  const { p, a } = (typeof item === "object" && item !== null ? item : { p: item }) as { p?: unknown; a?: unknown };
  return canonical(p ?? a);
}

function hasIn({ data = [] }: JournalEntry, prefix: string): boolean {
  return data.some((item) => prefixOf(item) === prefix);
}

/** The value that a request gives a prefix; none for a delete. */
function valueIn({ data = [] }: JournalEntry, prefix: string): number | undefined {
  const item = data.findLast((one) => prefixOf(one) === prefix);
  return (item as { v?: number } | undefined)?.v;
}

type Answered = Pick<JournalEntry, "answer" | "op">;

/** Entries of a list, or prefixes of a status, with 1; none before the answer. */
export const entriesIn = (entry: Answered): ReadonlyMap<string, number> =>
  entry.answer === undefined ? new Map() : entriesOf(entry);

const entriesOf = madeOnce(({ answer = "", op }: Answered): ReadonlyMap<string, number> => {
  const pattern = op === "status" ? /"([\d.:a-f]+\/\d+)"/g : /"p":\s*"([^"]+)",\s*"v":\s*(\d+)/g;
  return new Map(
    [...answer.matchAll(pattern)].map(([, prefix, value = 1]) => [canonical(prefix) ?? "", Number(value)]),
  );
});
