import { EmulatorMembers, type LocalMembers } from "../../../provider/emulator/control/operations";
import type { JournalEntry } from "../../../provider/emulator/journal/entry";
import { NodeApi } from "../../../provider/emulator/node/node-api";
import { resolveOptions } from "../../../provider/emulator/options";
import { ProtocolPort } from "../../../provider/emulator/serving/protocol-port";
import { SignalingApi } from "../../../provider/emulator/signaling/signaling-api";
import { Simulation } from "../../../provider/emulator/simulation";
import type { EmulatorState } from "../../../provider/emulator/state/state";
import { attempt } from "../../../provider/model/errors";
import type { Entries, NodePlan, ReceiverPlan } from "../scenario";
import { answered } from "./in-memory";
import type { Answer, Host, Sent } from "./network";
import type { VirtualTime } from "./time";

/** Credentials of the one client of each receiver. */
export const CLIENT = { clientId: "client-a", secretKey: "canary-secret-of-the-receiver" } as const;
/** Milliseconds since 1970 at the start. */
export const START = Date.UTC(2030, 0, 1);

/** An emulator without sockets, on the time of the simulation. */
export class Machine implements Host {
  readonly emulator: LocalMembers;
  private readonly port: ProtocolPort;
  private readonly simulation: Simulation;
  private refusingUntil = 0;
  /** Set while the machine answers nothing. */
  isSilent = false;
  /** Entries of a list that are shown at a time. */
  most = Number.POSITIVE_INFINITY;

  constructor(
    readonly name: string,
    readonly origin: string,
    private readonly time: VirtualTime,
    seed: number,
    state: EmulatorState,
    private readonly dialect?: NodePlan["dialect"],
  ) {
    const wall = {
      now: () => START + time.now,
      elapsed: () => time.now,
      timer: (run: () => void, ms: number) => time.after(ms, run),
    };
    const options = resolveOptions({ seed, ...(dialect && { dialect: dialect as object }) });
    const addresses = {
      endpoint: origin,
      signalingUrl: `${origin}/path`,
      testSignalingUrl: `${origin}/request`,
      control: "",
    };
    this.simulation = new Simulation(options, wall, addresses, {}, state);
    this.emulator = new EmulatorMembers(this.simulation);
    this.port = new ProtocolPort(this.simulation, {
      apis: {
        node: new NodeApi(this.simulation),
        signaling: new SignalingApi(this.simulation, "signaling"),
        test: new SignalingApi(this.simulation, "testSignaling"),
      },
      outage: (ms) => this.refuse(ms),
    });
  }

  get reach(): Host["reach"] {
    if (this.isSilent) return "silent";
    return this.time.now < this.refusingUntil ? "refusing" : "up";
  }

  /** Refuses connections for a time. */
  refuse(ms: number): void {
    this.refusingUntil = Math.max(this.refusingUntil, this.time.now + ms);
  }

  /** Answers again, and shows whole lists. */
  recover(): void {
    this.isSilent = false;
    this.most = Number.POSITIVE_INFINITY;
  }

  async answer(request: Sent): Promise<Answer> {
    const answer = await answered(this.port, request);
    if (this.most === Number.POSITIVE_INFINITY || "cut" in answer || !request.body.includes('"list"')) return answer;
    return firstOf(this.most, answer);
  }

  /** All requests so far, oldest first; a late commit adds its changes to its entry. A commit of several sets stands there for each of them. */
  get journal(): readonly JournalEntry[] {
    const { entries } = this.simulation.journal;
    if (this.dialect?.commitUrl === undefined) return entries;
    const urls = this.sets().map(([url]) => url);
    return entries.flatMap((entry) =>
      entry.cmd === "commit" ? urls.map((url) => ({ ...entry, url, ...changesOf(entry, url) })) : [entry],
    );
  }

  /** The applied content of a set. */
  held(url: string): Entries {
    return this.emulator.prefixSet(url).applied;
  }

  /** True where its lists show a value that waits for a commit, as those of some nodes do: no client can tell that from an applied one. */
  isShownStaged(url: string, prefix: string, value: number): boolean {
    return this.dialect?.listShows === "staged" && this.emulator.prefixSet(url).staged[prefix] === value;
  }

  /** Removes every entry of every set, without a commit: the disk was replaced. */
  empty(): void {
    for (const [url, entries] of this.sets()) this.emulator.change(url, { delete: Object.keys(entries) });
  }

  /** Restores what each set held before its last commit. */
  older(): void {
    for (const [url] of this.sets()) {
      const last = this.journal.findLast((entry) => entry.url === url && entry.commit !== undefined);
      if (!last?.commit) continue;
      const { inserted, removed, changed } = last.commit;
      const before = Object.fromEntries(Object.entries(changed).map(([prefix, { from }]) => [prefix, from]));
      this.emulator.change(url, { insert: { ...removed, ...before }, delete: Object.keys(inserted) });
    }
  }

  private sets(): [string, Entries][] {
    return [...this.simulation.contents.holdings.sets()].map(([url]) => [url, this.held(url)]);
  }

  /** Drops staged entries, as a restart does. */
  discardStaged(): void {
    this.simulation.discardStaged();
  }
}

/** The first entries of a list, and their range. */
function firstOf<T extends { readonly headers: object; readonly body: Buffer }>(most: number, answer: T): T {
  const { data } = attempt(() => JSON.parse(answer.body.toString())) ?? {};
  if (!Array.isArray(data) || data.length <= most) return answer;
  const headers = { ...answer.headers, "content-range": `items 0-${most - 1}/${data.length}` };
  return { ...answer, headers, body: Buffer.from(JSON.stringify({ data: data.slice(0, most) })) };
}

/** The changes of one set in a commit of several. */
function changesOf({ commit }: JournalEntry, url: string): Pick<JournalEntry, "commit"> {
  return commit ? { commit: commit.sets?.[url] ?? { inserted: {}, removed: {}, changed: {}, size: 0 } } : {};
}

interface Sets {
  readonly sets: Record<string, Entries>;
}

/** The state of a node with these sets. */
export function nodeState(sets: NodePlan["sets"]): EmulatorState {
  const arenas: Record<string, Sets & { profiles: Record<string, Sets> }> = {};
  for (const [url, entries] of Object.entries(sets)) {
    const [arena = "", ...names] = url.replace("prefixset://", "").split("/");
    const [set = "", profile] = names.toReversed();
    arenas[arena] ??= { sets: {}, profiles: {} };
    const all = arenas[arena] as (typeof arenas)[string];
    if (profile === undefined) all.sets[set] = entries;
    else all.profiles[profile] = { sets: { ...all.profiles[profile]?.sets, [set]: entries } };
  }
  return { arenas } as unknown as EmulatorState;
}

/** The state of a receiver. */
export function receiverState({ active }: Pick<ReceiverPlan, "active">): EmulatorState {
  const client = { ...CLIENT, prefixes: ["198.51.100.0/24"], active };
  return { arenas: {}, signaling: { clients: [client] } } as unknown as EmulatorState;
}
