import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { type Run, TestStack } from "./support/stack";

/** Secrets that are like no other text, by where they come from. */
const CANARY = {
  env: { token: "canary-token-env-81f3", secret: "canary-secret-env-52c7" },
  config: { token: "canary-token-config-90ab", secret: "canary-secret-config-17de" },
  argument: { token: "canary-token-argument-6ef0", secret: "canary-secret-argument-c4d9" },
};
type Origin = keyof typeof CANARY;
const ORIGINS = Object.keys(CANARY) as Origin[];

/** A node that wants this origin's token, and a receiver that knows its client's secret. */
function place(origin: Origin, tls?: "mutual"): Promise<Emulator> {
  return startEmulator({
    auth: { bearer: CANARY[origin].token },
    ...(tls && { tls }),
    state: {
      arenas: {
        edge: {
          sets: { blocked: {} },
          profiles: { clean: { prefixes: ["198.51.100.0/24"] }, protected: {} },
        },
      },
      signaling: {
        clients: [
          {
            clientId: "client-a",
            secretKey: CANARY[origin].secret,
            prefixes: ["198.51.100.0/24"],
            arena: "edge",
            idleProfile: "clean",
            activeProfile: "protected",
          },
        ],
      },
    },
  });
}

const headers = (origin: Origin) => ({ authorization: `Bearer ${CANARY[origin].token}` });
const receiver = (origin: Origin, { signalingUrl: url, tls }: Emulator) => ({
  url,
  clientId: "client-a",
  secretKey: CANARY[origin].secret,
  ...(tls && { tls }),
});

/** Trace of a key in any text: one of its inner lines. */
const lineOf = (key = "") => key.split("\n")[2] ?? "";

it("secrets from the environment, the configuration and arguments are in no output, log, state or journal", async () => {
  await using env = await place("env");
  await using config = await place("config", "mutual");
  await using argument = await place("argument", "mutual");
  const nodes = {
    secured: { endpoint: config.endpoint, headers: headers("config"), tls: config.tls, deadlineMs: 2_000 },
  };
  const given = { endpoint: argument.endpoint, headers: headers("argument"), tls: argument.tls, deadlineMs: 2_000 };
  const program = (value: number, address: string) => `
    const common = { arena: "edge", set: "blocked", entries: { "192.0.2.0/24": ${value} } };
    new pf.PrefixSet("env", common);
    new pf.PrefixSet("config", { ...common, node: "secured" });
    new pf.PrefixSet("argument", { ...common, node: ${JSON.stringify(given)} });
    const prefixes = ["${address}"];
    new pf.CloudSignaling("env-attack", { prefixes });
    new pf.CloudSignaling("config-attack", { prefixes, receiver: "secured" });
    new pf.CloudSignaling("argument-attack", { prefixes, receiver: ${JSON.stringify(receiver("argument", argument))} });
  `;
  await using stack = await TestStack.create({
    program: program(1, "198.51.100.7"),
    withPassphrase: true,
    config: { auditLog: "audit.ndjson" },
    secrets: {
      nodes: JSON.stringify(nodes),
      receivers: JSON.stringify({ secured: receiver("config", config) }),
    },
    env: {
      PACKETFILTER_ENDPOINT: env.endpoint,
      PACKETFILTER_HEADERS: JSON.stringify(headers("env")),
      PACKETFILTER_SIGNALING_URL: env.signalingUrl,
      PACKETFILTER_CLIENT_ID: "client-a",
      PACKETFILTER_SECRET_KEY: CANARY.env.secret,
    },
  });
  const places = [env, config, argument];
  const runs: Run[] = [];
  const run = async (...args: string[]) => {
    const result = await stack.pulumi(...args);
    runs.push(result);
    return result;
  };

  const created = await run("up", "--yes", "--diff");
  expect(created.code, created.text).toBe(0);
  await stack.program(program(2, "198.51.100.8"));
  // Nodes and receivers say all that they have seen, in their errors.
  const seen = places.map(({ tls }, index) => {
    const { token, secret } = CANARY[ORIGINS[index] ?? "env"];
    return {
      node: `authorization: Bearer ${token}, ${tls?.key}`,
      receiver: `/path/client-a/${secret}/start, ${tls?.key}`,
    };
  });
  places.forEach((it, index) => {
    it.fail({ cmd: "commit", status: 500, message: seen[index]?.node, times: 100 });
    it.fail({ op: "start", status: 403, message: seen[index]?.receiver, times: 100 });
  });
  const failed = await run("up", "--yes", "--skip-preview", "--continue-on-error");
  // The echo came through, with its secrets cut out: nothing below would be shown by silence.
  expect(failed.text).toMatch(/authorization: (Bearer )?\[secret\]/);
  expect(failed.text).toMatch(/\/path\/client-a\/\[secret\]\/start/);
  places.forEach((it, index) => {
    it.fail({ api: "node", kind: "html", body: `<html><title>${seen[index]?.node}</title></html>`, times: 100 });
    it.fail({ op: "status", kind: "unknown-shape", body: JSON.stringify(seen[index]?.receiver), times: 100 });
  });
  const notRead = await run("refresh", "--yes", "--skip-preview");
  expect(notRead.code).not.toBe(0);
  for (const it of places) it.clearFaults();
  const repaired = await run("up", "--yes", "--refresh", "--diff", "-v=9", "--logtostderr");
  expect(repaired.code, repaired.stdout).toBe(0);
  const verbose = runs.pop();
  expect(verbose?.stderr.length).toBeGreaterThan(10_000);
  for (const secret of Object.values(CANARY.env)) expect(verbose?.text.includes(secret), secret).toBe(false);

  const wrongNode = JSON.stringify({ ...given, timeoutMs: "soon" });
  await stack.program(
    `new pf.PrefixSet("argument", { arena: "edge", set: "blocked", entries: ["192.0.2.1/24"], node: ${wrongNode} });`,
  );
  expect((await run("preview")).text).toMatch(/node\.timeoutMs/);
  const wrongReceiver = JSON.stringify({ ...receiver("argument", argument), more: 1 });
  await stack.program(`new pf.CloudSignaling("attack", { prefixes: ["x"], receiver: ${wrongReceiver} });`);
  expect((await run("preview")).text).toMatch(/receiver.*`more`/);
  const exported = await stack.must("stack", "export");
  const shown = await stack.must("stack", "export", "--show-secrets");
  for (const secret of Object.values(CANARY.env)) expect(shown.stdout.includes(secret), secret).toBe(false);
  const destroyed = await run("destroy", "--yes", "--skip-preview");
  expect(destroyed.code, destroyed.text).toBe(0);

  const texts = {
    output: runs.map(({ text }) => text).join("\n"),
    state: exported.stdout,
    journal: JSON.stringify(places.map(({ journal }) => journal)),
    "audit log": await readFile(join(stack.folder, "audit.ndjson"), "utf8"),
  };
  const secrets = [
    ...ORIGINS.flatMap((origin) => Object.values(CANARY[origin])),
    lineOf(config.tls?.key),
    lineOf(argument.tls?.key),
  ];
  for (const [where, text] of Object.entries(texts)) {
    expect(text.length, where).toBeGreaterThan(100);
    for (const secret of secrets) expect(text.includes(secret), `${secret} in ${where}`).toBe(false);
  }
});
