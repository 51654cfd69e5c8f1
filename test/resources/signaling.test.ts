import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Runtime } from "../../provider/deployment/runtime";
import type { JsonObject } from "../../provider/model/json";
import { RESTORES } from "../../provider/reconcile/drift";
import { CloudSignalingHandler } from "../../provider/resources/cloud-signaling/handler";
import { serve } from "../client/support";

const [X, Y] = ["198.51.100.7/32", "198.51.100.8/32"] as const;

/** The contract's texts of errors. */
const WORDS = {
  secret: "secret_key invalid",
  started: "cloud signaling already active",
  idle: "cloud signaling is not active",
};

/** A receiver that answers a wrong secret with an empty status, and deployments with secrets of their own. */
async function bench(words: Partial<typeof WORDS> & { readonly wrongStatus?: number } = {}) {
  const { secret: wrong, started, idle, wrongStatus = 403 } = { ...WORDS, ...words };
  const active = new Set<string>();
  const server = await serve(({ path, body }, response) => {
    const [, , secret, operation] = path.split("/");
    const end = (status: number, text: string) => void response.writeHead(status).end(text);
    if (operation === "status") return end(200, JSON.stringify({ IP_prefix: secret === "right" ? [...active] : [] }));
    if (secret !== "right") return end(wrongStatus, wrong.replace("{id}", randomUUID()));
    const prefixes: string[] = JSON.parse(body).IP_prefix;
    const done = prefixes.some((prefix) => active.has(prefix) === (operation === "start"));
    if (done) return end(409, operation === "start" ? started : idle);
    for (const prefix of prefixes) operation === "start" ? active.add(prefix) : active.delete(prefix);
    end(200, "ok");
  });
  const printed: string[] = [];
  const handler = (secretKey: string) => {
    const runtime = new Runtime({ env: {}, print: (line) => void printed.push(line) });
    const config = { signalingUrl: server.url, clientId: "c1", secretKey, receiver: { deadlineMs: 2_000 } };
    runtime.configure((key) => config[key as keyof typeof config]);
    return new CloudSignalingHandler(runtime);
  };
  const named = (receivers: Readonly<Record<string, string>>) => {
    const runtime = new Runtime({ env: {}, print: (line) => void printed.push(line) });
    const at = (url: string) => ({ url, clientId: "c1", secretKey: "right" });
    const config: JsonObject = {
      receivers: Object.fromEntries(Object.entries(receivers).map(([name, url]) => [name, at(url)])),
    };
    runtime.configure((key) => config[key]);
    return new CloudSignalingHandler(runtime);
  };
  const asked = () => server.arrived.map(({ path, body }) => `${path.split("/").pop()} ${body}`);
  return { active, handler, named, asked, printed, server, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

interface InState {
  readonly id: string;
  readonly outs: JsonObject;
}

/** The calls of an engine for one resource that its state has, up to its state afterwards. */
async function up(handler: CloudSignalingHandler, { id, outs }: InState, args: JsonObject): Promise<InState> {
  const { inputs } = handler.check(outs, args);
  const { restores } = await handler.look(outs, inputs, "nothing");
  const news = { ...inputs, ...(restores !== undefined && { [RESTORES]: restores }) };
  const { changes } = handler.diff(outs, news);
  return changes === false ? { id, outs } : { id, ...(await handler.update(id, outs, news)) };
}

describe("the status that a run looked at", () => {
  it("is that of its start, and of its stop", async () => {
    await using receiver = await bench();
    receiver.active.add(Y);
    const run = async (olds: JsonObject, prefixes: readonly string[]) => {
      const handler = receiver.handler("right");
      const { inputs } = handler.check(olds, { prefixes: [...prefixes] });
      await handler.look(olds, inputs, "answer");
      return { handler, inputs };
    };
    const first = await run({}, [X, Y]);
    const { id, outs } = await first.handler.create(first.inputs);
    expect(receiver.asked()).toEqual(["status ", `start {"IP_prefix":["${X}"]}`, "status "]);
    expect(outs).toMatchObject({ prefixes: [X, Y], started: [X] });

    const from = receiver.server.arrived.length;
    const second = await run(outs, [Y]);
    await second.handler.update(id, outs, second.inputs);
    expect(receiver.asked().slice(from)).toEqual(["status ", `stop {"IP_prefix":["${X}"]}`, "status "]);
    expect([...receiver.active]).toEqual([Y]);
  });
});

describe("a prefix of two resources", () => {
  /** Both own it: one has started it, and another has taken it over. */
  async function shared() {
    const receiver = await bench();
    const first = await receiver.handler("right").create({ prefixes: [X, Y] });
    const handler = receiver.handler("right");
    handler.diff(first.outs, { prefixes: [X, Y] });
    const second = await handler.create({ prefixes: [X] });
    expect(second.outs).toMatchObject({ started: [X] });
    return { ...receiver, first, second };
  }

  it("is active after a run in which one gives it up before the program declares the other", async () => {
    await using receiver = await shared();
    const handler = receiver.handler("right");
    await up(handler, receiver.first, { prefixes: [Y] });
    await up(handler, receiver.second, { prefixes: [X] });
    expect([...receiver.active].sort()).toEqual([X, Y]);
  });

  it("is started once where the first of them lacks it", async () => {
    await using receiver = await shared();
    receiver.active.delete(X);
    const from = receiver.server.arrived.length;
    const handler = receiver.handler("right");
    await up(handler, receiver.first, { prefixes: [X, Y] });
    await up(handler, receiver.second, { prefixes: [X] });
    expect(receiver.asked().slice(from)).toEqual(["status ", `start {"IP_prefix":["${X}"]}`, "status "]);
  });
});

describe("a shorter list", () => {
  it.each([
    ["was active before", "started", [X], "this resource did not start it"],
    ["it is told to leave", "none", [X, Y], 'stops: "none"'],
  ])("names what it leaves active: what %s", async (_, stops, started, why) => {
    await using receiver = await bench();
    for (const prefix of [X, Y].filter((it) => !started.includes(it))) receiver.active.add(prefix);
    const { id, outs } = await receiver.handler("right").create({ prefixes: [X, Y], stops });
    const handler = receiver.handler("right");
    const { inputs } = handler.check(outs, { prefixes: [X], stops });
    await handler.update(id, outs, inputs);
    expect([...receiver.active].sort()).toEqual([X, Y]);
    expect(receiver.printed).toContainEqual(expect.stringMatching(new RegExp(`left as it was \\(${why}\\): ${Y}`)));
  });
});

it("a shorter list names nothing that this run saw inactive", async () => {
  await using receiver = await bench();
  receiver.active.add(Y);
  const { id, outs } = await receiver.handler("right").create({ prefixes: [X, Y] });
  receiver.active.delete(Y);
  const handler = receiver.handler("right");
  const { inputs } = handler.check(outs, { prefixes: [X] });
  await handler.look(outs, inputs, "answer");
  await handler.update(id, outs, inputs);
  expect(receiver.printed.filter((line) => line.includes("left as it was"))).toEqual([]);
});

describe("a signaling that moves to another receiver", () => {
  it("stops nothing there: what it started is at the former one", async () => {
    await using former = await bench();
    await using next = await bench();
    const { id, outs } = await former.handler("right").create({ prefixes: [X, Y] });
    for (const prefix of [X, Y]) next.active.add(prefix);
    const handler = next.handler("right");
    handler.diff(outs, { prefixes: [X] });
    const moved = await handler.update(id, outs, { prefixes: [X] });
    expect(moved.outs).toMatchObject({ endpoint: next.server.url, started: [] });
    await next.handler("right").delete(id, moved.outs);
    expect([...next.active]).toEqual([X, Y]);
  });
});

describe("a signaling that was started is stopped whatever the status says", () => {
  it("so that a destroy with a wrong secret fails, and one with the right secret ends it", async () => {
    await using receiver = await bench();
    const { id, outs } = await receiver.handler("right").create({ prefixes: [X, Y] });
    await expect(receiver.handler("wrong").delete(id, outs)).rejects.toThrow(
      /stop is incomplete: 2 of 2 prefixes are not inactive, as far as is known.*secret_key invalid/,
    );
    expect([...receiver.active]).toEqual([X, Y]);
    await receiver.handler("right").delete(id, outs);
    expect([...receiver.active]).toEqual([]);
  });

  it("and a refusal in another language counts as done where the status shows it inactive, with a warning", async () => {
    await using receiver = await bench({ secret: "Schlüssel ungültig", idle: "Signalisierung nicht aktiv" });
    const { id, outs } = await receiver.handler("right").create({ prefixes: [X, Y] });
    receiver.active.delete(X);
    await expect(receiver.handler("wrong").delete(id, outs)).rejects.toThrow(/stop is incomplete.*Schlüssel ungültig/);
    expect(receiver.printed.filter((line) => line.includes("counts as done"))).toEqual([]);
    await receiver.handler("right").delete(id, outs);
    expect([...receiver.active]).toEqual([]);
    expect(receiver.printed.filter((line) => line.includes("counts as done"))).toEqual([
      expect.stringMatching(`the stop of ${X} was refused, and counts as done.*Signalisierung nicht aktiv`),
    ]);
  });

  it("and not where no status has shown one, and no request has another secret than the receiver's", async () => {
    await using receiver = await bench({ secret: "abgelehnt (17, {id})", wrongStatus: 400 });
    const { id, outs } = await receiver.handler("right").create({ prefixes: [X] });
    await expect(receiver.handler("wrong").delete(id, outs)).rejects.toThrow(
      /stop is incomplete.*abgelehnt.*a wrong secret may be answered in the same way.*pulumi state delete/,
    );
    expect(receiver.printed.filter((line) => line.includes("counts as done"))).toEqual([]);
    const secrets = receiver.server.arrived.map(({ path }) => path.split("/")[2]);
    expect([...new Set(secrets)].sort()).toEqual(["right", "wrong"]);
    expect([...receiver.active]).toEqual([X]);
    await receiver.handler("right").delete(id, outs);
    expect([...receiver.active]).toEqual([]);
  });

  it("also after a refresh with the wrong secret, which saw none of it", async () => {
    await using receiver = await bench();
    const { id, outs } = await receiver.handler("right").create({ prefixes: [X] });
    const read = await receiver.handler("wrong").read(id, outs);
    expect(read).toMatchObject({ inputs: { prefixes: [X] }, props: { prefixes: [], lost: [X], started: [X] } });
    await expect(receiver.handler("wrong").delete(id, read?.props ?? {})).rejects.toThrow(/secret_key invalid/);
    const failed = receiver.handler("wrong").update(id, read?.props ?? {}, { prefixes: [X] });
    expect(await failed.catch(({ outputs }) => outputs)).toMatchObject({ started: [X] });
    await receiver.handler("right").delete(id, read?.props ?? {});
    expect([...receiver.active]).toEqual([]);
  });

  it.each([["a destroy"], ["an update"]])('as is what it did not start, with stops: "all", by %s', async (by) => {
    await using receiver = await bench();
    for (const prefix of [X, Y]) receiver.active.add(prefix);
    const { id, outs } = await receiver.handler("right").create({ prefixes: [X, Y], stops: "all" });
    const handler = receiver.handler("wrong");
    const ended =
      by === "a destroy" ? handler.delete(id, outs) : handler.update(id, outs, { prefixes: [X], stops: "all" });
    await expect(ended).rejects.toThrow(/secret_key invalid/);
    expect([...receiver.active]).toEqual([X, Y]);
    await receiver.handler("right").delete(id, outs);
    expect([...receiver.active]).toEqual([]);
  });

  it("and what it did not start stays active once `stops` is its default again after a failed stop", async () => {
    await using receiver = await bench();
    receiver.active.add(Y);
    const { id, outs } = await receiver.handler("right").create({ prefixes: [X, Y], stops: "all" });
    const failed = receiver.handler("wrong").update(id, outs, { prefixes: [X], stops: "all" });
    const { outputs } = await failed.then(
      () => expect.unreachable(),
      (error) => error,
    );
    await receiver.handler("right").update(id, outputs, { prefixes: [X] });
    expect([...receiver.active].sort()).toEqual([X, Y]);
  });

  it("and after a start without an answer, also if a refresh does not see it yet", async () => {
    await using receiver = await bench();
    const unanswered = { id: "s1", outs: { prefixes: [], started: [], unsettled: [X], endpoint: receiver.server.url } };
    const read = await receiver.handler("right").read(unanswered.id, unanswered.outs);
    expect(read).toMatchObject({ inputs: { prefixes: [X] }, props: { prefixes: [], started: [], unsettled: [X] } });
    receiver.active.add(X);
    await receiver.handler("right").delete(unanswered.id, read?.props ?? {});
    expect([...receiver.active]).toEqual([]);
  });

  it.each([
    ["fails where its start was answered", [X], [], /does not accept 198.51.100.7.32 as a prefix of this client/],
    ["is done where its start had no answer", [], [], undefined],
    ["is done where its start had no answer, also after a start that failed", [], [Y], undefined],
  ])("and that of a prefix which is not the client's %s", async (_, started, next, problem) => {
    await using receiver = await bench({ idle: "ip_prefix invalid" });
    const outs = { prefixes: [X], started, unsettled: [X], endpoint: receiver.server.url };
    const { outputs } = await receiver
      .handler("wrong")
      .update("s1", outs, { prefixes: next })
      .then(
        () => expect.unreachable(),
        (error) => error,
      );
    const ended = receiver.handler("right").delete("s1", outputs);
    await (problem ? expect(ended).rejects.toThrow(problem) : expect(ended).resolves.toBeUndefined());
    const told = receiver.printed.filter((line) => line.includes("counts as done"));
    expect(told).toEqual(problem ? [] : [expect.stringContaining(`the stop of ${X} was refused`)]);
  });

  it("by an update that no longer wants it, too", async () => {
    await using receiver = await bench();
    const { id, outs } = await receiver.handler("right").create({ prefixes: [X, Y] });
    const wrong = receiver.handler("wrong").update(id, outs, { prefixes: [X] });
    await expect(wrong).rejects.toMatchObject({
      name: "PartialFailure",
      outputs: { prefixes: [X, Y], started: [X, Y], unsettled: [Y] },
    });
    expect([...receiver.active]).toEqual([X, Y]);
  });

  it("and a destroy is done where the receiver itself says that it is not active", async () => {
    await using receiver = await bench();
    const { id, outs } = await receiver.handler("right").create({ prefixes: [X, Y] });
    receiver.active.delete(X);
    const from = receiver.server.arrived.length;
    await receiver.handler("right").delete(id, outs);
    expect(receiver.asked().slice(from)).toEqual([
      "status ",
      `stop {"IP_prefix":["${Y}"]}`,
      "status ",
      `stop {"IP_prefix":["${X}"]}`,
    ]);
    expect([...receiver.active]).toEqual([]);
  });
});

describe("a receiver with another name at the same address", () => {
  it("keeps a signaling that the program still declares, although the former name is gone", async () => {
    await using receiver = await bench();
    const { url } = receiver.server;
    const before = receiver.named({ a: url });
    const { id, outs } = await before.create({ receiver: "a", prefixes: [X, Y] });
    const handler = receiver.named({ b: url });
    const { inputs } = handler.check(outs, { receiver: "b", prefixes: [X, Y] });
    expect(handler.diff(outs, inputs)).toEqual({ replaces: ["receiver"] });
    const renamed = await handler.create(inputs);
    await handler.delete(id, outs);
    expect([...receiver.active]).toEqual([X, Y]);
    await receiver.named({ b: url }).delete(renamed.id, renamed.outs);
    expect([...receiver.active]).toEqual([]);
  });

  it("and fails before anything is sent if a prefix would have to be stopped there", async () => {
    await using receiver = await bench();
    const { url } = receiver.server;
    const { outs } = await receiver.named({ a: url }).create({ receiver: "a", prefixes: [X, Y] });
    const handler = receiver.named({ b: url });
    const { inputs } = handler.check(outs, { receiver: "b", prefixes: [X] });
    expect(() => handler.diff(outs, inputs)).toThrow('receiver "a" is not in the configuration');
  });

  it("is no adoption of what this stack has started", async () => {
    await using receiver = await bench();
    const { url } = receiver.server;
    const { outs } = await receiver.named({ a: url }).create({ receiver: "a", prefixes: [X] });
    receiver.active.add(Y);
    const handler = receiver.named({ a: url, b: url });
    const { inputs } = handler.check(outs, { receiver: "b", prefixes: [X, Y] });
    handler.diff(outs, inputs);
    await handler.look({}, inputs, "answer");
    expect(receiver.printed.filter((line) => line.includes("adopted"))).toEqual([
      expect.stringContaining(`active already, and adopted: ${Y}.`),
    ]);
  });
});
