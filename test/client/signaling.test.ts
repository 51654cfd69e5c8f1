import { describe, expect, it } from "vitest";
import { Prefix, SignalingClient, SignalingIncomplete } from "../../provider/client";
import { type Arrived, failureOf, reply, reset, script, serve, TestWorld } from "./support";

const [A, B, C] = ["192.0.2.1", "198.51.100.0/24", "2001:db8::/32"].map((text) => Prefix.parse(text)) as [
  Prefix,
  Prefix,
  Prefix,
];

type Effect = "ok" | "lost-before" | "lost-after" | "late" | { status: number; text: string; apply?: Prefix[] };

/**
 * A receiver with a plan for its starts and stops; beyond the plan they work. `late`: shown by the third status after. An
 * array in the plan names prefixes that it does not take for the client's own.
 */
async function startReceiver(active: Prefix[], ...steps: (Effect | Prefix[])[]) {
  const plan = steps.filter((step): step is Effect => !Array.isArray(step));
  const invalid = new Set(
    steps
      .filter((step) => Array.isArray(step))
      .flat()
      .map(String),
  );
  const state = new Set(active.map(String));
  const pending: { statuses: number; apply: () => void }[] = [];
  const server = await serve((request, response) => {
    const operation = operationOf(request);
    const end = (status: number, body: string): void => void response.writeHead(status).end(body);
    if (operation === "status") {
      for (const item of pending) if (--item.statuses === 0) item.apply();
      return end(200, JSON.stringify({ IP_prefix: [...state] }));
    }
    const prefixes: string[] = JSON.parse(request.body).IP_prefix;
    const apply = (texts: readonly string[]) => {
      for (const text of texts) operation === "start" ? state.add(text) : state.delete(text);
    };
    const effect = plan.shift() ?? "ok";
    const done = prefixes.some((text) => state.has(text) === (operation === "start"));
    if (typeof effect === "object") {
      apply((effect.apply ?? []).map(String));
      return end(effect.status, effect.text);
    }
    if (prefixes.some((text) => invalid.has(text))) return end(400, "ip_prefix invalid");
    if (effect === "lost-before") return void response.socket?.resetAndDestroy();
    if (done)
      return end(409, operation === "start" ? "cloud signaling already active" : "cloud signaling is not active");
    if (effect === "late") pending.push({ statuses: 3, apply: () => apply(prefixes) });
    else apply(prefixes);
    if (effect === "lost-after") response.socket?.resetAndDestroy();
    else end(200, "ok");
  });
  const world = new TestWorld();
  const client = new SignalingClient({ url: `${server.url}/path`, clientId: "c1", secretKey: "k3y" }, world);
  return {
    client,
    world,
    server,
    /** Requests in their order: `start 192.0.2.1/32`. */
    get asked() {
      return server.arrived.map((request) => {
        const sent = request.body === "" ? "" : ` ${JSON.parse(request.body).IP_prefix.join(" ")}`;
        return `${operationOf(request)}${sent}`;
      });
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

const operationOf = ({ path }: Arrived): string => path.split("/").pop() ?? "";

describe("ensureActive", () => {
  it("asks first, starts only what is not active, and checks", async () => {
    await using receiver = await startReceiver([A]);
    expect(await receiver.client.ensureActive([A, B])).toEqual({ started: [B], already: [A] });
    expect(receiver.asked).toEqual(["status", `start ${B}`, "status"]);
  });

  it("sends nothing when all is active, and asks nothing for no prefixes", async () => {
    await using receiver = await startReceiver([A, B]);
    expect(await receiver.client.ensureActive([B, A, B])).toEqual({ started: [], already: [B, A] });
    expect(await receiver.client.ensureActive([])).toEqual({ started: [], already: [] });
    expect(receiver.asked).toEqual(["status"]);
  });

  it("waits for a status that is late", async () => {
    await using receiver = await startReceiver([], "late");
    expect(await receiver.client.ensureActive([A])).toEqual({ started: [A], already: [] });
    expect(receiver.asked).toEqual(["status", `start ${A}`, "status", "status", "status"]);
    expect(receiver.world.pauses).toEqual([100, 200]);
  });

  it("an answer that was lost after the effect is settled by asking, not by a second start", async () => {
    await using receiver = await startReceiver([], "lost-after");
    expect(await receiver.client.ensureActive([A, B])).toEqual({ started: [A, B], already: [] });
    expect(receiver.asked).toEqual(["status", `start ${A} ${B}`, "status"]);
  });

  it("a start that was lost before the effect is sent again after asking", async () => {
    await using receiver = await startReceiver([], "lost-before");
    expect(await receiver.client.ensureActive([A])).toEqual({ started: [A], already: [] });
    expect(receiver.asked).toEqual(["status", `start ${A}`, "status", `start ${A}`, "status"]);
  });

  it("a lost start that shows late is ours, although the second start is refused", async () => {
    await using server = await serve(
      script(
        reply(200, { IP_prefix: [] }),
        reset,
        reply(200, { IP_prefix: [] }),
        reply(409, "cloud signaling already active"),
        reply(200, { IP_prefix: [] }),
        reply(200, { IP_prefix: [A] }),
      ),
    );
    const client = server.receiver();
    expect(await client.ensureActive([A])).toEqual({ started: [A], already: [] });
  });

  it("what a refused group started all the same is ours, also if it shows late", async () => {
    await using server = await serve(
      script(
        reply(200, { IP_prefix: [] }),
        reply(400, "ip_prefix invalid"),
        reply(200, { IP_prefix: [] }),
        reply(409, "cloud signaling already active"),
        reply(200, { IP_prefix: [A] }),
        reply(400, "ip_prefix invalid"),
        reply(200, { IP_prefix: [A] }),
      ),
    );
    const error = await failureOf(server.receiver().ensureActive([A, B]));
    expect(error).toMatchObject({ started: [A], already: [], missing: [B] });
  });

  it("a lone prefix that another client started in between is not ours", async () => {
    await using receiver = await startReceiver([], { status: 409, text: "Cloud signaling already ACTIVE", apply: [A] });
    expect(await receiver.client.ensureActive([A])).toEqual({ started: [], already: [A] });
  });

  it("a refusal for one of several that another client started leads to a start of the rest", async () => {
    await using receiver = await startReceiver([], { status: 409, text: "cloud signaling already active", apply: [A] });
    expect(await receiver.client.ensureActive([A, B])).toMatchObject({ already: [] });
    expect(receiver.asked).toEqual(["status", `start ${A} ${B}`, "status", `start ${B}`, "status"]);
  });

  it("a refusal says for each prefix what holds", async () => {
    const refusal = { status: 400, text: '{"error":"ip_prefix invalid: 2001:db8::/32"}', apply: [B] };
    await using receiver = await startReceiver([A], refusal, { ...refusal, apply: [] });
    const error = await failureOf(receiver.client.ensureActive([A, B, C]));
    expect(error).toBeInstanceOf(SignalingIncomplete);
    expect(error).toMatchObject({
      code: "signaling-incomplete",
      reason: "prefix-invalid",
      outcome: "refused",
      started: [B],
      stopped: [],
      already: [A],
      missing: [C],
      verified: true,
    });
    expect(error.message).toContain(
      `Signaling on ${receiver.server.host}/path: start is incomplete: 1 of 3 prefixes are not active (2001:db8::/32). ` +
        `Signaling of 2001:db8::/32 on ${receiver.server.host}/path: start failed (HTTP 400): ip_prefix invalid`,
    );
  });

  it.each([2, 16, 64])("of %i prefixes starts all but the invalid one, in few requests", async (size) => {
    const all = Array.from({ length: size }, (_, index) => Prefix.parse(`192.0.2.${index}`));
    const bad = all[Math.floor(size / 3)] as Prefix;
    await using receiver = await startReceiver([], [bad]);
    const error = await failureOf(receiver.client.ensureActive(all));
    expect(error).toMatchObject({ reason: "prefix-invalid", missing: [bad], outcome: "refused", verified: true });
    expect((error as SignalingIncomplete).started).toHaveLength(size - 1);
    const starts = receiver.asked.filter((asked) => asked.startsWith("start"));
    expect(starts.length).toBeLessThanOrEqual(2 * Math.log2(size) + 1);
    expect(receiver.asked.filter((asked) => asked.startsWith("stop"))).toEqual([]);
  });

  it("a receiver that goes silent leaves what was last known, and says so", async () => {
    await using server = await serve(script(reply(200, { IP_prefix: [A] }), reset));
    const client = server.receiver();
    const error = await failureOf(client.ensureActive([A, B]));
    expect(error).toMatchObject({ already: [A], started: [], missing: [B], verified: false, outcome: "unknown" });
  });

  it("a start that never shows fails at the deadline", async () => {
    await using receiver = await startReceiver([], { status: 200, text: "ok" });
    const error = await failureOf(receiver.client.ensureActive([A]));
    expect(error).toMatchObject({ missing: [A], verified: true, outcome: "unknown" });
    expect(error.message).toContain('The receiver said "ok", and its status did not show it before the deadline.');
    expect(receiver.asked.filter((asked) => asked.startsWith("start"))).toHaveLength(1);
    expect(receiver.world.pauses.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(60_000);
  });

  it("sends nothing to a receiver that is not there, and nothing once it is cancelled", async () => {
    const server = await serve(reply(200));
    await server[Symbol.asyncDispose]();
    const client = server.receiver();
    const error = await failureOf(client.ensureActive([A]));
    expect(error).not.toBeInstanceOf(SignalingIncomplete);
    expect(error).toMatchObject({ operation: "status", outcome: "not-sent" });
    expect(await failureOf(client.ensureActive([A], { signal: AbortSignal.abort() }))).toMatchObject({
      code: "request-cancelled",
    });
  });

  it("that was answered stands where the status after it fails", async () => {
    await using server = await serve(script(reply(200, { IP_prefix: [] }), reply(200, "ok"), reply(500)));
    const client = server.receiver();
    expect(await client.ensureActive([A])).toMatchObject({
      started: [A],
      already: [],
      unseen: { operation: "status" },
    });
  });
});

describe("ensureInactive", () => {
  it("stops only what is active, and takes a lost answer for what the status says", async () => {
    await using receiver = await startReceiver([A, B], "lost-after");
    expect(await receiver.client.ensureInactive([A, C])).toEqual({ stopped: [A], already: [C] });
    expect(receiver.asked).toEqual(["status", `stop ${A}`, "status"]);
  });

  it("stops all but what the receiver does not take for a prefix of the client", async () => {
    await using receiver = await startReceiver([A, B, C], [B]);
    const error = await failureOf(receiver.client.ensureInactive([A, B, C]));
    expect(error).toMatchObject({ reason: "prefix-invalid", stopped: [A, C], missing: [B] });
  });

  it.each([
    ["has shown another", [A]],
    ["has shown none", []],
  ])(
    "takes a prefix that the client does not have for stopped only if its start had no answer; a status %s",
    async (_, active) => {
      await using receiver = await startReceiver([...active], [B]);
      const confirmed = await failureOf(receiver.client.ensureInactive([B, C], { started: [B], unanswered: [C] }));
      expect(confirmed).toMatchObject({ reason: "prefix-invalid", missing: [B] });
      const stopped = await receiver.client.ensureInactive([A, B], { started: [A, B], unanswered: [B] });
      expect(stopped).toMatchObject({ stopped: active, refused: [B], refusal: { reason: "prefix-invalid" } });
      await receiver.client.ensureInactive([B, C], { started: [B, C], unanswered: [B, C] });
      expect(receiver.asked.slice(-4)).toEqual([`stop ${B} ${C}`, `stop ${B}`, "status", `stop ${C}`]);
    },
  );

  it("stops what the caller started though the status lacks it; what was refused together goes singly", async () => {
    await using receiver = await startReceiver([A]);
    const stopped = await receiver.client.ensureInactive([A, B, C], { started: [A, B, C] });
    expect(stopped).toEqual({ stopped: [A], already: [B, C] });
    expect(receiver.asked).toEqual(["status", `stop ${A}`, "status", `stop ${B} ${C}`, `stop ${B}`, `stop ${C}`]);
  });

  it("sends a stop again whose answer was lost, where no status can tell", async () => {
    await using receiver = await startReceiver([], "lost-before");
    expect(await receiver.client.ensureInactive([B], { started: [B] })).toEqual({ stopped: [B], already: [] });
    expect(receiver.asked).toEqual(["status", `stop ${B}`, `stop ${B}`]);
  });

  it("tells what is still active", async () => {
    const refusal = { status: 403, text: "secret_key invalid" };
    await using receiver = await startReceiver([A, B], refusal);
    const error = await failureOf(receiver.client.ensureInactive([A]));
    expect(error).toMatchObject({ reason: "secret-invalid", started: [], stopped: [], missing: [A], verified: true });
  });
});

describe("start and stop", () => {
  it("are not repeated when they may have happened", async () => {
    await using server = await serve(reset);
    const client = server.receiver();
    expect(await failureOf(client.start([A]))).toMatchObject({ outcome: "unknown", tries: 1 });
    expect(server.arrived).toHaveLength(1);
  });

  it("are repeated when they certainly did not", async () => {
    await using server = await serve(script(reply(429), reply(200, "OK\n")));
    const client = server.receiver();
    await client.stop([A]);
    expect(server.arrived.map(({ method, path, body }) => [method, path, body])).toEqual(
      Array(2).fill(["POST", "/c1/k3y/stop", '{"IP_prefix":["192.0.2.1/32"]}']),
    );
  });
});

describe("status", () => {
  it("is canonical, each prefix once; null is how some languages write an empty array", async () => {
    const answers = [["192.0.2.1", "192.0.2.1/32", "198.51.100.9/24", "2001:DB8::/32"], null];
    await using server = await serve(script(...answers.map((IP_prefix) => reply(200, { IP_prefix }))));
    const client = server.receiver();
    expect(await client.status()).toEqual([A, B, C]);
    expect(await client.status()).toEqual([]);
  });

  it("id and secret are one path segment each, whatever they contain", async () => {
    await using server = await serve(reply(200, { IP_prefix: [] }));
    const client = new SignalingClient(
      { url: `${server.url}/a/`, clientId: "c/1", secretKey: "k?#% ü" },
      new TestWorld(),
    );
    await client.status();
    expect(server.arrived[0]?.path).toBe("/a/c%2F1/k%3F%23%25%20%C3%BC/status");
    await client.close();
  });
});
