import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { expect, test } from "vitest";
import { NatsLeaseStore } from "../../provider/forwarder/cluster/lease-store";
import { BUILD_TIMEOUT, startNatsCluster } from "./support/servers";

test("with three replicas leases and turns outlive any one server", { timeout: BUILD_TIMEOUT }, async () => {
  const servers = await startNatsCluster();
  const options = { servers: servers.map(({ url }) => url), bucket: "three", leaseMs: 60_000, replicas: 3 };
  const [a, b] = [await NatsLeaseStore.open(() => options), await NatsLeaseStore.open(() => options)];
  /** Servers that have just begun, or lost one of them, need a moment to agree on who leads. */
  const soon = async <T>(ask: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await ask();
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  };
  const agreed = () =>
    Promise.all([a, b].map((one, n) => soon(() => one.announce({ name: `m${n}`, nodes: [], polling: "" }))));
  try {
    await agreed();
    const lease = (await a.take("fra1", "a")) ?? 0;
    const { epoch } = await soon(() => a.beginTurn("fra1", "a", undefined));
    expect(await replicasOf(options.servers)).toEqual({ KV_three: 3, "KV_three-turns": 3 });
    await servers[0]?.kill();
    await agreed();
    const renewed = (await a.renew("fra1", "a", lease)) ?? 0;
    expect(renewed).toBeGreaterThan(lease);
    expect(await soon(() => b.take("fra1", "b"))).toBe(undefined);
    await a.release("fra1", renewed);
    expect(await soon(() => b.take("fra1", "b"))).toBeGreaterThan(renewed);
    const turn = await soon(() => b.beginTurn("fra1", "b", undefined));
    expect([turn.takeover, turn.epoch > epoch]).toEqual([true, true]);
  } finally {
    await Promise.all([a.close(), b.close()]);
    for (const server of servers) await server[Symbol.asyncDispose]();
  }
});

/** Number of copies of each stream. */
async function replicasOf(servers: string[]): Promise<Record<string, number>> {
  const connection = await connect({ servers });
  const { streams } = await jetstreamManager(connection);
  const all: Record<string, number> = {};
  for await (const { config } of streams.list()) all[config.name] = config.num_replicas;
  await connection.close();
  return all;
}
