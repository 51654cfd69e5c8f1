import { describe, expect, it } from "vitest";
import { NodeClient, RequestError, SignalingClient } from "../../provider/client";
import { failureOf, reply, reset, SET, script, serve, TestWorld, truncated } from "./support";

const LOAD = "Lower `maxConcurrency` or raise `deadlineMs` of the node.";

describe("repeats", () => {
  it("go on with growing pauses until the node answers", async () => {
    await using server = await serve(script(reply(503), reset, truncated, reply(500), reply(200, { data: [] })));
    const world = new TestWorld();
    const client = server.node({}, world);
    expect(await client.listPrefixSet(SET)).toEqual([]);
    expect(world.pauses).toEqual([300, 600, 1200, 2400]);
  });

  it("take anything from nothing to the whole pause: full jitter", async () => {
    await using server = await serve(script(reply(503), reply(503), reply(200, [])));
    const draws = [0.5, 0];
    const world = new TestWorld(() => draws.shift() ?? 1);
    const client = server.node({}, world);
    await client.listPrefixSet(SET);
    expect(world.pauses).toEqual([150, 0]);
  });

  it("are not made with a single try, nor by a client of a receiver", async () => {
    await using server = await serve(reply(503));
    const world = Object.assign(new TestWorld(), { maxTries: 1 });
    const node = server.node({}, world);
    const signaling = new SignalingClient({ url: server.url, clientId: "c1", secretKey: "canary-5ecret" }, world);
    expect(await failureOf(node.listPrefixSet(SET))).toMatchObject({ tries: 1 });
    expect(await failureOf(signaling.status())).toMatchObject({ tries: 1 });
    expect(server.arrived).toHaveLength(2);
    await Promise.all([node.close(), signaling.close()]);
  });

  it("end after five tries with an error that says what was tried and what to do", async () => {
    await using server = await serve(reply(500, { error: "no room" }));
    const client = new NodeClient({ endpoint: `${server.url}/fapi/` }, new TestWorld());
    const error = await failureOf(client.commit(SET));
    expect(error).toBeInstanceOf(RequestError);
    expect(error.message).toBe(
      `Set prefixset://edge/blocked on ${server.host}: commit failed (HTTP 500, 5 tries in 4.5 s): no room. ` +
        "The outcome is unknown until the set is listed.",
    );
    expect(error).toMatchObject({
      name: "RequestError",
      code: "request-unknown",
      outcome: "unknown",
      status: 500,
      endpoint: server.url,
      object: "prefixset://edge/blocked",
      operation: "commit",
      tries: 5,
    });
    expect(server.arrived).toHaveLength(5);
    await client.close();
  });

  it.each([400, 401, 403, 404, 405, 409, 501, 505, 507])("are not made after HTTP %i", async (status) => {
    await using server = await serve(reply(status, "no"));
    const client = server.node();
    const error = await failureOf(client.insert(SET, [["192.0.2.0/24", 1]]));
    expect(error).toMatchObject({ code: "request-refused", outcome: "refused", status, tries: 1 });
    expect(server.arrived).toHaveLength(1);
  });

  it.each([
    { status: 425, outcome: "not-sent" },
    { status: 408, outcome: "unknown" },
    { status: 502, outcome: "unknown" },
  ])("are made after HTTP $status, whose outcome is $outcome", async ({ status, outcome }) => {
    await using server = await serve(reply(status));
    const client = server.node();
    expect(await failureOf(client.commit(SET))).toMatchObject({ outcome, status, tries: 5 });
  });

  it.each([
    { status: 503, told: "restarting", outcome: "unknown", remedy: "The node is not ready." },
    { status: 429, told: "slow down", outcome: "not-sent", remedy: LOAD },
    { status: 409, told: "another commit is in progress", outcome: "not-sent", remedy: LOAD },
    { status: 409, told: "busy", outcome: "not-sent", remedy: LOAD },
  ])(
    "go on to the deadline, one request at a time, after HTTP $status: $told",
    async ({ status, told, outcome, remedy }) => {
      let [under, most] = [0, 0];
      await using server = await serve(async (_request, response) => {
        most = Math.max(most, ++under);
        await new Promise(setImmediate);
        under--;
        response.writeHead(status).end(JSON.stringify({ error: told }));
      });
      const world = new TestWorld();
      const client = server.node({}, world);
      const error = await failureOf(client.commit(SET));
      expect(error).toMatchObject({ status, outcome });
      expect(server.arrived.length).toBeGreaterThan(8);
      expect(world.pauses.reduce((sum, ms) => sum + ms)).toBeGreaterThan(50_000);
      expect(error.message).toContain(`${told}. The deadline is reached. ${remedy}`);
      most = 0;
      await Promise.all([1, 2, 3, 4, 5].map(() => failureOf(client.listPrefixSet(SET))));
      expect(most).toBe(1);
    },
  );

  it("report a refusal after a lost answer with the number of tries", async () => {
    await using server = await serve(script(reset, reply(400, { error: "exists" })));
    const client = server.node();
    const error = await failureOf(client.insert(SET, [["192.0.2.0/24", 1]]));
    expect(error).toMatchObject({ outcome: "refused", tries: 2, status: 400 });
  });

  it("that cannot be sent leave the outcome of the first try unknown", async () => {
    const server = await serve(async (_request, response) => {
      response.socket?.resetAndDestroy();
      await server[Symbol.asyncDispose]();
    });
    const client = server.node();
    const error = await failureOf(client.commit(SET));
    expect(error).toMatchObject({ outcome: "unknown", tries: 5 });
    expect(error.message).toContain("no connection");
  });

  it("of a node that is not there certainly did nothing", async () => {
    const server = await serve(reply(200));
    await server[Symbol.asyncDispose]();
    const client = server.node();
    const error = await failureOf(client.commit(SET));
    expect(error).toMatchObject({ code: "request-not-sent", outcome: "not-sent", tries: 5 });
    expect(error.message).toMatch(/commit failed \(no connection, 5 tries in 4\.5 s\): .*ECONNREFUSED/);
  });

  it("wait until a proxy's page and a cut answer give way to a list, and the page to the answer to a change", async () => {
    const page = reply(200, "<html><title>Please wait</title>");
    await using server = await serve(
      script(page, reply(200, '{"data":['), reply(200, ""), reply(200, []), page, reply(200, {})),
    );
    const client = server.node();
    expect(await client.listPrefixSet(SET)).toEqual([]);
    expect(server.arrived).toHaveLength(4);
    await client.commit(SET);
    expect(server.arrived).toHaveLength(6);
  });
});

describe("Retry-After", () => {
  it("in seconds is the pause", async () => {
    await using server = await serve(script(reply(429, "", { "retry-after": "7" }), reply(200, [])));
    const world = new TestWorld(() => 0);
    const client = server.node({}, world);
    await client.listPrefixSet(SET);
    expect(world.pauses).toEqual([7_000]);
  });

  it("as a date counts from the node's own clock", async () => {
    const headers = { date: "Mon, 01 Jun 2026 10:00:00 GMT", "retry-after": "Mon, 01 Jun 2026 10:00:09 GMT" };
    await using server = await serve(script(reply(503, "", headers), reply(200, [])));
    const world = new TestWorld(() => 0);
    const client = server.node({}, world);
    await client.listPrefixSet(SET);
    expect(world.pauses).toEqual([9_000]);
  });

  it("is the shortest pause: jitter is added, so that refused clients come back one by one", async () => {
    await using server = await serve(
      script(reply(429, "", { "retry-after": "7" }), reply(429, "", { "retry-after": "7" }), reply(200, [])),
    );
    const draws = [0.5, 1];
    const world = new TestWorld(() => draws.shift() ?? 0);
    const client = server.node({}, world);
    await client.listPrefixSet(SET);
    expect(world.pauses).toEqual([7_150, 7_600]);
  });

  it("that exceeds the deadline with its jitter ends the operation, naming the limit", async () => {
    await using server = await serve(script(reply(503), reply(503), reply(429, "", { "retry-after": "59" })));
    const client = server.node();
    const error = await failureOf(client.listPrefixSet(SET));
    expect(error.message).toContain("The deadline is reached.");
  });

  it("never shortens a pause, and what is no time is ignored", async () => {
    await using server = await serve(
      script(reply(503, "", { "retry-after": "0" }), reply(503, "", { "retry-after": "soon" }), reply(200, [])),
    );
    const world = new TestWorld();
    const client = server.node({}, world);
    await client.listPrefixSet(SET);
    expect(world.pauses).toEqual([300, 600]);
  });

  it("beyond the deadline ends the operation at once", async () => {
    await using server = await serve(reply(429, { error: "slow down" }, { "retry-after": "61" }));
    const world = new TestWorld();
    const client = server.node({}, world);
    const error = await failureOf(client.listPrefixSet(SET));
    expect(error.message).toBe(
      `Set prefixset://edge/blocked on ${server.host}: list failed (HTTP 429): slow down. ` +
        "It asks for a pause of 61 s, which ends after the deadline. Lower `maxConcurrency` or raise `deadlineMs` of the node.",
    );
    expect(error).toMatchObject({ outcome: "not-sent", tries: 1 });
    expect(world.pauses).toEqual([]);
  });
});
