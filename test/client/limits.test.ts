import type { ServerResponse } from "node:http";
import type { Dispatcher } from "undici";
import { describe, expect, it, vi } from "vitest";
import { NodeClient, UnexpectedResponse } from "../../provider/client";
import { failureOf, reply, reset, SET, script, serve, TestWorld } from "./support";

/** Answers nothing until the test does. */
function held(): { answer: (request: unknown, response: ServerResponse) => void; responses: ServerResponse[] } {
  const responses: ServerResponse[] = [];
  return { responses, answer: (_request, response) => void responses.push(response) };
}

describe("time", () => {
  it("a request that is not answered in time is given up and sent again", async () => {
    const { answer } = held();
    await using server = await serve(script(answer, reply(200, [])));
    const world = new TestWorld();
    const client = server.node({ timeoutMs: 1_000 }, world);
    const list = client.listPrefixSet(SET);
    await vi.waitFor(() => expect(server.arrived).toHaveLength(1));
    expect([...world.timers].map(({ ms }) => ms)).toEqual([1_000]);
    world.ring();
    expect(await list).toEqual([]);
  });

  it("the deadline ends the operation, and the last try gets only the time that is left", async () => {
    const { answer } = held();
    await using server = await serve(answer);
    const world = new TestWorld();
    const client = server.node({ timeoutMs: 1_000, deadlineMs: 1_500 }, world);
    const failure = failureOf(client.commit(SET));
    await vi.waitFor(() => expect(server.arrived).toHaveLength(1));
    world.ring();
    await vi.waitFor(() => expect(server.arrived).toHaveLength(2));
    expect([...world.timers].map(({ ms }) => ms)).toEqual([200]);
    world.ring();
    const error = await failure;
    expect(error).toMatchObject({ code: "request-unknown", outcome: "unknown", tries: 2 });
    expect(error.message).toContain("commit failed (time-out, 2 tries in 1.5 s): the deadline is reached.");
  });

  it("a timer that rings a moment before the deadline is told as the deadline, not as the usual time", async () => {
    await using server = await serve(held().answer);
    const world = new TestWorld();
    const client = server.node({ timeoutMs: 10_000, deadlineMs: 2_000 }, world);
    const failure = failureOf(client.commit(SET));
    await vi.waitFor(() => expect(server.arrived).toHaveLength(1));
    world.time -= 0.5;
    world.ring();
    expect((await failure).message).toContain("commit failed (time-out): the deadline is reached.");
  });

  it("a try that the deadline cuts short is told with the answer before it", async () => {
    const { answer } = held();
    await using server = await serve(script(reply(503, { error: "busy" }), answer));
    const world = new TestWorld();
    const client = server.node({ timeoutMs: 1_000, deadlineMs: 1_000 }, world);
    const failure = failureOf(client.listPrefixSet(SET));
    await vi.waitFor(() => expect(server.arrived).toHaveLength(2));
    world.ring();
    const error = await failure;
    expect(error).toMatchObject({ status: 503, outcome: "unknown", tries: 2 });
    expect(error.message).toMatch(/list failed \(HTTP 503, 2 tries in .*busy.* The deadline is reached\./);
  });

  it("a body that stops coming is a time-out with an unknown outcome", async () => {
    await using server = await serve((_request, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("{");
    });
    const world = new TestWorld();
    const client = server.node({ timeoutMs: 1_000, deadlineMs: 1_000 }, world);
    const failure = failureOf(client.commit(SET));
    await vi.waitFor(() => expect(server.arrived).toHaveLength(1));
    world.ring();
    expect(await failure).toMatchObject({ outcome: "unknown", tries: 1 });
  });
});

describe("a list of marks without an end", () => {
  const record = `${JSON.stringify({ a: "203.0.113.7", v: 1 })},`;

  it("that comes slowly names the limit of its time, and is not called unanswered", async () => {
    const world = new TestWorld();
    let tries = 0;
    const dispatch: Dispatcher["dispatch"] = (_request, handler) => {
      const controller = { abort: () => {} } as unknown as Dispatcher.DispatchController;
      handler.onRequestStart?.(controller, {});
      handler.onResponseStart?.(controller, 200, {});
      handler.onResponseData?.(controller, Buffer.from(record));
      tries += 1;
      return true;
    };
    const options = { endpoint: "http://192.0.2.10", timeoutMs: 1_000, deadlineMs: 1_900 };
    const client = new NodeClient(options, { ...world, dispatcher: { dispatch } as Dispatcher });
    const failure = failureOf(client.listMarks("edge", "web", "shost"));
    // Another try would come too soon after this one, and too late for the deadline.
    await vi.waitFor(() => expect(tries).toBe(1));
    world.ring();
    expect((await failure).message).toContain("the answer did not end within 1 s, which `timeoutMs` allows");
  });
});

describe("the caller's signal", () => {
  it("that is aborted already sends nothing", async () => {
    await using server = await serve(reply(200));
    const client = server.node();
    const error = await failureOf(client.commit(SET, { signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ code: "request-cancelled", outcome: "not-sent" });
    expect(server.arrived).toEqual([]);
  });

  it("ends a request under way, whose outcome is unknown then", async () => {
    await using server = await serve(held().answer);
    const client = server.node();
    const controller = new AbortController();
    const failure = failureOf(client.commit(SET, { signal: controller.signal }));
    await vi.waitFor(() => expect(server.arrived).toHaveLength(1));
    controller.abort();
    expect(await failure).toMatchObject({ code: "request-cancelled", outcome: "unknown", tries: 1 });
  });

  it("ends a pause", async () => {
    await using server = await serve(reset);
    const controller = new AbortController();
    const world = new TestWorld();
    const sleep = async () => controller.abort();
    const client = new NodeClient({ endpoint: server.url }, { ...world, sleep });
    const failure = await failureOf(client.commit(SET, { signal: controller.signal }));
    expect(failure).toMatchObject({ code: "request-cancelled", outcome: "unknown", tries: 1 });
    await client.close();
  });

  it("leaves the queue, and the others keep their turn", async () => {
    const { answer, responses } = held();
    await using server = await serve(answer);
    const client = server.node({ maxConcurrency: 1 });
    const controller = new AbortController();
    const first = client.commit(SET);
    const second = failureOf(client.commit(SET, { signal: controller.signal }));
    const third = client.commit(SET);
    await vi.waitFor(() => expect(responses).toHaveLength(1));
    controller.abort();
    expect(await second).toMatchObject({ code: "request-cancelled", outcome: "not-sent" });
    responses[0]?.end();
    await first;
    await vi.waitFor(() => expect(responses).toHaveLength(2));
    responses[1]?.end();
    await third;
  });
});

describe("connections", () => {
  it("are at most maxConcurrency, whatever is asked at once, and are kept open", async () => {
    const waiting: ServerResponse[] = [];
    let most = 0;
    await using server = await serve(async (_request, response) => {
      if (waiting.push(response) < 3) return;
      // More than three would be here by then.
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
      most = Math.max(most, waiting.length);
      for (const each of waiting.splice(0)) each.end("[]");
    });
    const client = new NodeClient({ endpoint: server.url, maxConcurrency: 3 });
    await Promise.all(Array.from({ length: 60 }, () => client.listPrefixSet(SET)));
    expect(most).toBe(3);
    expect(server.connections).toBe(3);
    expect(server.arrived).toHaveLength(60);
    await client.close();
  });
});

describe("the size of an answer", () => {
  it.each([
    ["announced", { "content-length": "1001" }],
    ["sent in pieces", {}],
  ])("above the limit is refused: %s", async (_name, headers) => {
    await using server = await serve((_request, response) => {
      response.writeHead(200, headers);
      response.write("[".padEnd(600));
      response.end("]".padStart(401));
    });
    const client = server.node({ maxAnswerBytes: 1_000 });
    const error = await failureOf(client.listPrefixSet(SET));
    expect(error).toBeInstanceOf(UnexpectedResponse);
    expect(error).toMatchObject({ code: "unexpected-response", tries: 1, status: 200 });
    expect(error.message).toContain("the answer is larger than 1000 bytes, which `maxAnswerBytes` allows");
  });

  it("is measured in records, too: a list of more than `maxListRecords` is refused", async () => {
    const entries = (count: number) => Array.from({ length: count }, (_, n) => ({ p: `192.0.2.${n}`, v: 1 }));
    await using server = await serve(script(reply(200, entries(3)), reply(200, entries(4))));
    const client = server.node({ maxListRecords: 3 });
    expect(await client.listPrefixSet(SET)).toHaveLength(3);
    const error = await failureOf(client.listPrefixSet(SET));
    expect(error.message).toContain("the list has 4 records, and `maxListRecords` allows 3");
  });
});

describe("an answer nested beyond the stack", () => {
  it("is a shape that is not known, and leaves its slot", async () => {
    const nested = `{"error":${"[".repeat(50_000)}${"]".repeat(50_000)}}`;
    await using server = await serve(script(reply(200, nested), reply(200, [])));
    const client = server.node({ maxConcurrency: 1 });
    expect(await failureOf(client.listPrefixSet(SET))).toBeInstanceOf(UnexpectedResponse);
    expect(await client.listPrefixSet(SET)).toEqual([]);
  });

  it("and any other unforeseen error leave their slot, too", async () => {
    await using server = await serve(script(reply(400), reply(200, [])));
    const client = server.node({ maxConcurrency: 1 });
    const unforeseen = () => {
      throw new Error("unforeseen");
    };
    expect((await failureOf(client.set(SET, unforeseen).list())).message).toBe("unforeseen");
    expect(await client.listPrefixSet(SET)).toEqual([]);
  });
});

describe("redirects", () => {
  it.each([307, 308])("%i within the origin is followed with method, body and headers", async (status) => {
    await using server = await serve(script(reply(status, "", { location: "/v2/fapi?x=1" }), reply(200, [])));
    const client = server.node({ headers: { "X-Token": "t0ken" } });
    await client.listPrefixSet(SET);
    const [first, second] = server.arrived;
    expect(second).toMatchObject({ method: "POST", path: "/v2/fapi?x=1", body: first?.body });
    expect(second?.headers["x-token"]).toBe("t0ken");
  });

  it("to another origin is refused, and nothing is sent there", async () => {
    await using other = await serve(reply(200, []));
    await using server = await serve(reply(307, "", { location: `${other.url}/fapi` }));
    const client = server.node();
    const error = await failureOf(client.listPrefixSet(SET));
    expect(error).toMatchObject({ outcome: "refused", status: 307, tries: 1 });
    expect(error.message).toContain(`it redirects to ${other.url}/fapi. Only 307 and 308 within one origin`);
    expect(other.arrived).toEqual([]);
  });

  it("in a circle end", async () => {
    await using server = await serve(reply(307, "", { location: "/fapi" }));
    const client = server.node();
    expect(await failureOf(client.listPrefixSet(SET))).toMatchObject({ outcome: "refused", status: 307 });
    expect(server.arrived).toHaveLength(6);
  });
});
