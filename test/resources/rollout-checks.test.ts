import { expect, it } from "vitest";
import { systemWorld } from "../../provider/client/world";
import { rolloutSchema } from "../../provider/resources/prefix-set-group/rollout/arguments";
import { checkWave } from "../../provider/resources/prefix-set-group/rollout/check-wave";
import { ProviderProcess } from "../failures/support/provider-process";
import { startHealth } from "../support/health";
import { A, bench, group } from "./support/group-bench";

const wave = { nodes: ["lab1", "fra1"], set: "prefixset://edge/blocked", timeoutMs: 2_000, isOnce: true };
const surroundings = (signal = new AbortController().signal) => ({
  ...{ world: systemWorld, env: process.env, signal },
  credentials: [],
});
const sh = (script: string) => ({ command: ["/bin/sh", "-c", script] });

it("a command passes with exit code 0, knows nodes and set, and else tells its last line", async () => {
  const isTold = '[ "$PACKETFILTER_NODES $PACKETFILTER_SET" = "lab1,fra1 prefixset://edge/blocked" ]';
  expect(await checkWave(surroundings(), sh(isTold), wave)).toBeUndefined();
  const failed = await checkWave(surroundings(), sh("echo one; echo two >&2; exit 3"), wave);
  expect(failed).toEqual({ nodes: wave.nodes, reason: "/bin/sh: exit code 3: two" });
  const missing = await checkWave(surroundings(), { command: ["./no-such-program"] }, wave);
  expect(missing?.reason).toMatch(/^\.\/no-such-program: spawn .*ENOENT/);
});

it("a command is killed with what it started, after its time and where the run is cancelled", async () => {
  const late = await checkWave(surroundings(), sh("sleep 60 & wait"), { ...wave, timeoutMs: 200 });
  expect(late?.reason).toMatch(/^\/bin\/sh: it did not end within \d+ ms, and was killed$/);
  const ending = new AbortController();
  const cancelled = checkWave(surroundings(ending.signal), sh("sleep 60 & wait"), { ...wave, timeoutMs: 60_000 });
  ending.abort();
  expect((await cancelled)?.reason).toBe("/bin/sh: the run was cancelled");
});

it("the last line of a command shows no credential of environment or configuration, in the error nor in the state", async () => {
  await using stack = await bench("n1");
  const env = {
    PATH: process.env.PATH ?? "",
    PACKETFILTER_SECRET_KEY: "k3y-of-the-receiver",
    PACKETFILTER_HEADERS: '{"authorization":"Bearer t0ken-of-the-environment"}',
    PACKETFILTER_SIGNALING_URL: "https://a:pa55-of-the-address@receiver.example.net",
  };
  const headers = { "x-key": "k3y-of-the-node" };
  const config = { nodes: { n1: { endpoint: stack.node("n1").endpoint, headers } } };
  const shown = "$PACKETFILTER_SECRET_KEY t0ken-of-the-environment pa55-of-the-address k3y-of-the-node";
  const rollout = { waves: [["n1"]], check: sh(`echo with ${shown}; exit 1`), checkTimeoutMs: 100 };
  const provider = new ProviderProcess(config, undefined, env);
  const { args } = group({ [A]: 1 }, ["n1"], { rollout });
  const { inputs } = await provider.call("PrefixSetGroup", "check", {}, args);
  const reason = "/bin/sh: exit code 1: with [secret] [secret] [secret] [secret]";
  await expect(provider.call("PrefixSetGroup", "create", inputs)).rejects.toMatchObject({
    message: expect.stringContaining(`did not pass: ${reason}.`),
    properties: { rollout: { reason } },
  });
});

it("a url is asked for each node, names those that did not pass, and never its keys", async () => {
  await using health = await startHealth();
  health.ill.set("fra1", 503);
  const check = { url: health.url, headers: { "X-Key": "also-private" } };
  const failed = await checkWave(surroundings(), check, wave);
  expect(failed).toEqual({ nodes: ["fra1"], reason: `GET ${health.of("fra1")}: HTTP 503` });
  expect(health.headers.map((sent) => sent["x-key"])).toEqual(["also-private", "also-private"]);
  expect(await checkWave(surroundings(), { ...check, status: 503 }, { ...wave, nodes: ["fra1"] })).toBeUndefined();
});

it("the time of a request begins once a connection is free, however large the wave is; a single try waits for one such time", async () => {
  await using health = await startHealth();
  const running = { now: 0, most: 0 };
  const after = (ms: number, run: () => void) => {
    running.most = Math.max(running.most, ++running.now);
    const cancel = systemWorld.after(ms, run);
    return () => {
      running.now -= 1;
      cancel();
    };
  };
  const nodes = Array.from({ length: 40 }, (_, number) => `cdn${number}`);
  const world = { ...systemWorld, after };
  expect(await checkWave({ ...surroundings(), world }, { url: health.url }, { ...wave, nodes })).toBeUndefined();
  expect([health.asked().length, running]).toEqual([40, { now: 0, most: 16 }]);

  let now = 0;
  const passing = (ms: number, run: () => void) => {
    const end = () => {
      now += ms;
      run();
    };
    return systemWorld.after(ms / 100, end);
  };
  const hurried = { ...surroundings(), world: { ...systemWorld, after: passing, monotonic: () => now } };
  for (const node of nodes) health.silent.add(node);
  const silent = { ...wave, timeoutMs: 600_000, nodes: nodes.slice(0, 17).reverse() };
  const failed = await checkWave(hurried, { url: health.url }, silent);
  expect(failed?.nodes).toEqual(silent.nodes);
  expect(failed?.reason).toContain(`GET ${health.of("cdn0")}: not asked: the time of this try was over`);
  expect(health.asked()).toHaveLength(16);
  await checkWave(hurried, { url: health.url }, { ...silent, asksAll: true });
  expect(health.asked()).toHaveLength(17);
});

it.each([
  [
    { url: "https://user:very-private@health.example/{node}" },
    "holds a user or password: give it in headers, as authorization",
  ],
  [{ url: "https://health.example/{node}", status: 999 }, "is not a status"],
])("a check that could never pass, or would store a secret in the clear, is refused: %o", (check, message) => {
  const { error } = rolloutSchema.safeParse({ waves: [["fra1"]], check });
  expect(error?.issues.map((issue) => issue.message)).toEqual([message]);
});
