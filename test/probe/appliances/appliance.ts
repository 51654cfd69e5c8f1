import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { NODES, type NodeKind } from "./nodes";
import { RECEIVERS, type ReceiverKind } from "./receivers";
import { isWithin, span, spelt } from "./spans";

/** A whole answer. Status 200 unless it says so. */
export interface Reply {
  readonly status?: number;
  readonly body: string;
  readonly cookie?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request, and the command in its body if there is one. */
export interface Asked {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  readonly command: {
    readonly url?: string;
    readonly cmd?: string;
    readonly data?: readonly { readonly p?: string; readonly v?: number; readonly a?: string }[];
    readonly type?: string;
  };
}

/** Entries by their first and last address, both as numbers: `3221225984-3221226239`. */
export type Entries = ReadonlyMap<string, number>;

type Change = (entries: Map<string, number>) => void;

export type ApplianceName = keyof typeof NODES;

export const APPLIANCES = Object.keys(NODES) as ApplianceName[];

export const OWN = "198.51.100.0/24";
export const CLIENT = { clientId: "c1", secretKey: "receiver-secret" } as const;

/**
 * A node and a receiver in one process, written from the contract and from nothing of this package: what an appliance of
 * some vendor might be. Whatever takes effect late does so by the clock that it is given.
 */
export class Appliance {
  /** Requests that have come, those to the receiver included. */
  requests = 0;
  /** Requests to the receiver that came before it was time, as Retry-After said. */
  early = 0;
  private notBefore = 0;
  /** Called with each number, before the request is looked at. */
  onRequest: (count: number) => void = () => {};
  readonly sets = new Map<string, Map<string, number>>();
  readonly active = new Set<string>();
  private readonly staged = new Map<string, Change[]>();
  private late: { readonly at: number; readonly run: () => void }[] = [];
  private readonly connections = new Map<Socket, number>();
  private sessions = 0;
  private underWay = 0;
  private readonly server = createServer((request, response) => void this.answer(request, response));

  private constructor(
    private readonly node: NodeKind,
    private readonly receiver: ReceiverKind,
    private readonly now: () => number,
  ) {
    for (const set of ["edge/probe", "edge/blocked"]) this.sets.set(set, new Map());
  }

  static start(name: ApplianceName, now: () => number = () => performance.now()): Promise<Appliance> {
    return Appliance.of(NODES[name], RECEIVERS[NODES[name].receiver], now);
  }

  static async of(node: NodeKind, receiver: ReceiverKind, now: () => number): Promise<Appliance> {
    const appliance = new Appliance(node, receiver, now);
    appliance.server.listen(0, "127.0.0.1");
    await new Promise((resolve) => appliance.server.once("listening", resolve));
    return appliance;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Entries of a set, in CIDR, once all that is late has taken effect. */
  held(set: string): Record<string, number> {
    this.settle(Number.POSITIVE_INFINITY);
    return Object.fromEntries([...(this.sets.get(set) ?? [])].map(([key, value]) => [spelt(key), value]));
  }

  /** Prefixes that are signaled once all that is late has taken effect. */
  signaled(): string[] {
    this.settle(Number.POSITIVE_INFINITY);
    return [...this.active].toSorted();
  }

  /** Changes that wait for a commit in sessions that are still there. */
  waiting(): number {
    return [...this.staged.values()].reduce((sum, { length }) => sum + length, 0);
  }

  /** Ends the sessions of cookies, and with them their staged changes, as happens some time after the last request. */
  endSessions(): void {
    if (this.node.stagingBy === "cookie") this.staged.clear();
  }

  /** Adds or removes an entry as a person at the console would. */
  put(set: string, prefix: string, value: number | undefined): void {
    this.settle(Number.POSITIVE_INFINITY);
    const key = span(prefix);
    if (key === undefined) throw new Error(`${prefix} is no prefix`);
    if (value === undefined) this.sets.get(set)?.delete(key);
    else this.sets.get(set)?.set(key, value);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    this.onRequest(++this.requests);
    this.settle(this.now());
    this.underWay++;
    const isBusy = this.node.oneAtATime === true && this.underWay > 1;
    if (this.node.oneAtATime) await new Promise((resolve) => setTimeout(resolve, 5));
    const isNode = request.url === "/fapi";
    const { pace = 0, expiresAt = Number.POSITIVE_INFINITY } = this.node;
    if (!isNode && this.now() < this.notBefore) this.early++;
    if (pace > 0 && this.requests % pace === 0) {
      if (!isNode) this.notBefore = this.now() + 1_000;
      this.underWay--;
      response.statusCode = 429;
      response.setHeader("retry-after", "1");
      response.end("later");
      return;
    }
    const isExpired = isNode && this.requests >= expiresAt;
    const { url: path = "", headers } = request;
    const asked = { path, headers, body, command: commandIn(body) };
    const own = () => (isNode ? this.command(asked, request.socket) : this.signal(path, body));
    const reply =
      isBusy || isExpired
        ? this.node.refused(isBusy ? "busy" : "expired")
        : ((path.startsWith("/path/") ? this.receiver : this.node).instead?.(asked, this) ?? own());
    this.underWay--;
    if (reply.cookie !== undefined) response.setHeader("set-cookie", reply.cookie);
    response.writeHead(reply.status ?? 200, reply.headers);
    response.end(reply.body);
  }

  private command({ body, headers, command: asked }: Asked, socket: Socket): Reply {
    const { node } = this;
    if (node.authorization !== undefined && headers.authorization !== node.authorization) return node.refused("who?");
    if (node.isEncodingRefused && headers["content-encoding"] !== undefined) return node.refused("bad encoding");
    if (node.isTwiceRefused && body.split('"cmd"').length > 2) return node.refused("cmd twice");
    if (node.isSlashRefused && asked.cmd === "list" && asked.url?.endsWith("/")) return node.refused("bad url");
    const [, kind = "", path = ""] = /^(\w+):\/\/(.*?)\/?$/.exec(asked.url ?? "") ?? [];
    const arena = headers["user-arena"];
    const isArena = node.userArena === "required" ? arena === path.split("/")[0] : arena !== undefined;
    if (kind === "mark" && node.userArena !== undefined && node.userArena !== "ignored" && !isArena)
      return node.refused("bad arena");
    if (kind !== "prefixset")
      return asked.cmd === "list" ? node.records(kind, asked.type) : node.refused("bad command");
    const set = this.sets.get(path);
    if (!set) return node.refused("unknown set");
    const { session, cookie } = this.sessionOf(socket, headers.cookie);
    const key = `${session} ${path}`;
    const with_ = (reply: Reply): Reply => (cookie === undefined ? reply : { ...reply, cookie });
    switch (asked.cmd) {
      case "list":
        return with_(node.list(set, this.applied(set, key)));
      case "insert":
        return with_(this.insert(asked.data ?? [], set, key));
      case "delete":
        return with_(this.remove(asked.data ?? [], set, key));
      case "commit": {
        const changes = this.staged.get(key) ?? [];
        if (changes.length === 0 && node.emptyCommit === "error") return with_(node.refused("nothing to commit"));
        this.staged.delete(key);
        this.soon(node.commitDelayMs ?? 0, () => {
          for (const change of changes) change(set);
        });
        return with_(node.done("commit", changes.length));
      }
      default:
        return with_(node.refused("bad command"));
    }
  }

  private insert(data: readonly { p?: string; v?: number }[], set: Entries, key: string): Reply {
    const { node } = this;
    const before = this.applied(set, key);
    const changes: Change[] = [];
    const { maxEntries = Number.POSITIVE_INFINITY, maxValue = 4_294_967_295, existing } = node;
    if (data.length > maxEntries) return node.refused("too many entries");
    for (const { p = "", v = Number.NaN } of data) {
      const at = span(p);
      if (at === undefined || !Number.isInteger(v) || v < 0 || v > maxValue) return node.refused(`bad entry ${p}`);
      if (at === node.refuses) return node.refused(`bad entry ${p}`);
      if ((node.isStrict || existing === "error") && before.has(at)) return node.refused(`exists ${p}`);
      if (existing === "ignored" && before.has(at)) continue;
      before.set(at, v);
      changes.push((entries) => void entries.set(at, v));
    }
    this.stage(key, changes);
    return node.done("insert", data.length);
  }

  private remove(data: readonly { a?: string }[], set: Entries, key: string): Reply {
    const { node } = this;
    const before = this.applied(set, key);
    const changes: Change[] = [];
    for (const { a = "" } of data) {
      const at = [...before.keys()].find((one) => (node.isExact ? node.spell(one) === a : one === span(a)));
      if (at === undefined && (node.isStrict || node.isExact || node.absent === "error"))
        return node.refused(`no entry ${a}`);
      if (at === undefined) continue;
      before.delete(at);
      changes.push((entries) => void entries.delete(at));
    }
    this.stage(key, changes);
    return node.done("delete", changes.length);
  }

  /** A set with what waits in a session. */
  private applied(set: Entries, key: string): Map<string, number> {
    const entries = new Map(set);
    for (const change of this.staged.get(key) ?? []) change(entries);
    return entries;
  }

  private stage(key: string, changes: readonly Change[]): void {
    this.staged.set(key, [...(this.staged.get(key) ?? []), ...changes]);
  }

  private sessionOf(socket: Socket, cookie = ""): { session: string; cookie?: string } {
    if (this.node.stagingBy === "connection") {
      if (!this.connections.has(socket)) {
        const own = ++this.sessions;
        this.connections.set(socket, own);
        // What waits in a connection that is gone is gone with it.
        socket.once("close", () => {
          for (const key of this.staged.keys()) if (key.startsWith(`${own} `)) this.staged.delete(key);
        });
      }
      return { session: String(this.connections.get(socket)) };
    }
    if (this.node.stagingBy !== "cookie") return { session: "all" };
    const [, known] = /\bsid=(\d+)/.exec(cookie) ?? [];
    if (known !== undefined) return { session: known };
    const session = String(++this.sessions);
    return { session, cookie: `sid=${session}; Path=/; HttpOnly` };
  }

  private signal(path: string, body: string): Reply {
    const { receiver } = this;
    const [, , id, secret, operation] = path.split("/");
    if (id !== CLIENT.clientId || secret !== CLIENT.secretKey) return receiver.refused("secret_key invalid");
    if (operation === "status") return receiver.status([...this.active]);
    const { IP_prefix: prefixes } = JSON.parse(body) as { IP_prefix: string[] };
    if (prefixes.some((prefix) => !prefix.includes("/") || !isWithin(prefix, OWN)))
      return receiver.refused("ip_prefix invalid");
    if (operation === "start") {
      const begin = (some: readonly string[]) =>
        this.soon(receiver.delayMs, () => {
          for (const prefix of some) this.active.add(prefix);
        });
      const first = prefixes.findIndex((prefix) => this.active.has(prefix));
      if (first >= 0) {
        if (receiver.partial === "others") begin(prefixes.filter((prefix) => !this.active.has(prefix)));
        if (receiver.partial === "before") begin(prefixes.slice(0, first));
        return receiver.refused("cloud signaling already active");
      }
      begin(prefixes);
      return receiver.done("start", prefixes);
    }
    if (prefixes.some((prefix) => !this.active.has(prefix))) return receiver.refused("cloud signaling is not active");
    this.soon(receiver.delayMs, () => {
      for (const prefix of prefixes) this.active.delete(prefix);
    });
    return receiver.done("stop", prefixes);
  }

  private soon(delayMs: number, run: () => void): void {
    if (delayMs === 0) run();
    else this.late.push({ at: this.now() + delayMs, run });
  }

  private settle(now: number): void {
    const due = this.late.filter(({ at }) => at <= now);
    this.late = this.late.filter(({ at }) => at > now);
    for (const { run } of due) run();
  }
}

function commandIn(body: string): Asked["command"] {
  try {
    return JSON.parse(body);
  } catch {
    return {};
  }
}
