import type { KV } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import { z } from "zod";
import { jsonIn } from "../../model/readable";
import type { CheckedConfig } from "../config/schema";
import { TIMES } from "../defaults";
import { CLUSTER_USER, connectNats, loadNats, type Nats, natsWords } from "../sinks/nats-connection";

type NatsLeaseOptions = NonNullable<CheckedConfig["cluster"]>;

const announcedSchema = z.object({ nodes: z.array(z.string()), polling: z.string() });

/** A member of the cluster, with the nodes that it can poll and the settings by which it polls them. */
export interface Member extends z.infer<typeof announcedSchema> {
  readonly name: string;
}

/** Members of a cluster, and what they announce. */
interface Members {
  readonly members: Member[];
  /** Names of members that announce themselves in a form of another version. */
  readonly unread: string[];
}

/** Reads announcements as {@link NatsLeaseStore.announce} writes them, each with the name of its member. */
export function membersIn(announcements: Iterable<readonly [name: string, text: string]>): Members {
  const found: Members = { members: [], unread: [] };
  for (const [name, text] of announcements) {
    const announced = announcedSchema.safeParse(jsonIn(text));
    if (announced.success) found.members.push({ name, ...announced.data });
    else found.unread.push(name);
  }
  return found;
}

interface Buckets {
  readonly connection: NatsConnection;
  readonly leases: KV;
  readonly turns: KV;
}

/** Delete markers must live at least a second. */
const LEAST_MARKER_MS = 1_000;
/** JSStreamWrongLastSequenceErr: another writer has changed the key. */
const WRONG_LAST = 10_071;

/**
 * Leases in NATS JetStream key-value. The bucket of leases has a time to live for all its keys, since that of a single key holds
 * for one value only; a member that changes nothing for so long is gone. Turns are in a bucket of their own without one: a change of
 * a node's key under a known revision proves that no other had a turn since. Nothing is decided by reading, which may be
 * stale, but for how nodes are spread. Every method may throw; a revision is a number that grows with each change.
 */
export class NatsLeaseStore {
  private current: Buckets | undefined;
  private opening: Promise<Buckets> | undefined;

  private constructor(
    private readonly library: Nats,
    private readonly options: () => NatsLeaseOptions,
  ) {}

  /** Loads what is needed; connects at the first use. @throws {OptionsError} naming the packages that are missing. */
  static async open(options: () => NatsLeaseOptions): Promise<NatsLeaseStore> {
    return new NatsLeaseStore(await loadNats(CLUSTER_USER), options);
  }

  /** Says that a member is there, and what it polls, for as long as a lease lasts. */
  async announce({ name, ...announced }: Member): Promise<void> {
    await (await this.opened()).leases.put(`member.${encode(name)}`, JSON.stringify(announced));
  }

  /** The members that are there, and the nodes that any of them holds; may lag behind. */
  async look(): Promise<Members & { readonly held: ReadonlySet<string> }> {
    const { leases } = await this.opened();
    const keys: string[] = [];
    const held = new Set<string>();
    for await (const key of await leases.keys(["member.*", "node.*"])) {
      if (key.startsWith("node.")) held.add(decode(key.slice("node.".length)));
      else keys.push(key);
    }
    const entries = await Promise.all(keys.map(async (key) => ({ key, entry: await leases.get(key) })));
    // The others have left meanwhile.
    const there = entries.flatMap(({ key, entry }) => (entry?.operation === "PUT" ? [{ key, entry }] : []));
    const texts = there.map(({ key, entry }) => [decode(key.slice("member.".length)), entry.string()] as const);
    return { ...membersIn(texts), held };
  }

  /** Takes a lease that is free. @returns its revision, or `undefined` when another forwarder holds it. */
  async take(node: string, member: string): Promise<number | undefined> {
    const { leases } = await this.opened();
    return this.unlessChanged(() => leases.create(`node.${encode(node)}`, member));
  }

  /** Makes a lease last longer. @returns its new revision, or `undefined` when it is lost. */
  async renew(node: string, member: string, revision: number): Promise<number | undefined> {
    const { leases } = await this.opened();
    return this.unlessChanged(() => leases.update(`node.${encode(node)}`, member, revision, this.requestMs));
  }

  async release(node: string, revision: number): Promise<void> {
    const { leases } = await this.opened();
    await this.unlessChanged(() => leases.delete(`node.${encode(node)}`, { previousSeq: revision }));
  }

  async leave(member: string): Promise<void> {
    await (await this.opened()).leases.delete(`member.${encode(member)}`);
  }

  /** Begins a turn of a node, within its lease. @param last The epoch of our last turn, if there was one. */
  async beginTurn(node: string, member: string, last: number | undefined) {
    const { turns } = await this.opened();
    const key = encode(node);
    const first = await this.unlessChanged(() => turns.create(key, member));
    if (first !== undefined) return { epoch: first, takeover: false };
    const ours =
      last === undefined ? undefined : await this.unlessChanged(() => turns.update(key, member, last, this.requestMs));
    if (ours !== undefined) return { epoch: ours, takeover: false };
    return { epoch: await turns.put(key, member), takeover: true };
  }

  /** An error of these methods, as a message may quote it. */
  words(error: unknown): string {
    return natsWords(error, this.options());
  }

  async close(): Promise<void> {
    await this.current?.connection.close();
  }

  /** `undefined` when the server says that the key is not as we think; any other failure is thrown. */
  private async unlessChanged<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      const { JetStreamApiError } = this.library.jetstream;
      if (error instanceof JetStreamApiError && error.code === WRONG_LAST) return undefined;
      throw error;
    }
  }

  /** A third of a lease may pass for one request, and a line may be slow. */
  private get requestMs(): number {
    return Math.max(TIMES.leaseRequestMs, this.options().leaseMs / 3);
  }

  private async opened(): Promise<Buckets> {
    if (this.current && !this.current.connection.isClosed()) return this.current;
    // All that is asked meanwhile waits for one connection.
    this.opening ??= this.open().finally(() => {
      this.opening = undefined;
    });
    return this.opening;
  }

  private async open(): Promise<Buckets> {
    const options = this.options();
    const { bucket, leaseMs, replicas } = options;
    const connection = await connectNats(this.library, options, "cluster", Math.max(TIMES.natsConnectMs, leaseMs));
    try {
      const manager = new this.library.kv.Kvm(connection);
      const common = { history: 1, replicas, timeout: this.requestMs };
      const markerTTL = Math.max(LEAST_MARKER_MS, leaseMs);
      const leases = await manager.create(bucket, { ...common, ttl: leaseMs, markerTTL });
      this.current = { connection, leases, turns: await manager.create(`${bucket}-turns`, common) };
      return this.current;
    } catch (error) {
      await connection.close().catch(() => {});
      throw error;
    }
  }
}

/** Names may hold what keys may not. */
function encode(name: string): string {
  return Buffer.from(name, "utf8").toString("hex");
}

function decode(key: string): string {
  return Buffer.from(key, "hex").toString("utf8");
}
