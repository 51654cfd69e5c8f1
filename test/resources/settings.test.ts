import { describe, expect, it } from "vitest";
import { PacketFilterError } from "../../provider/model/errors";
import { unknownKeys } from "../../provider/resources/config-keys";
import { readSettings } from "../../provider/resources/settings";

const settings = (config: Record<string, unknown>, env: Record<string, string> = {}) =>
  readSettings((key) => config[key], env);

describe("settings", () => {
  it("prefer an argument to the configuration, and the configuration to the environment, member by member", () => {
    const env = {
      PACKETFILTER_ENDPOINT: "http://192.0.2.3",
      PACKETFILTER_HEADERS: '{"x-token":"from-environment"}',
      PACKETFILTER_SIGNALING_URL: "http://192.0.2.3/path",
      PACKETFILTER_CLIENT_ID: "client-env",
      PACKETFILTER_SECRET_KEY: "secret-env",
    };
    const config = { endpoint: "http://192.0.2.2", clientId: "client-config" };
    const both = settings(config, env);
    expect(both.node({ endpoint: "http://192.0.2.1" })).toEqual({
      name: undefined,
      options: { endpoint: "http://192.0.2.1" },
      fromEnvironment: false,
    });
    const { PACKETFILTER_ENDPOINT: _, ...credentials } = env;
    expect(settings(config, credentials).node(undefined)).toMatchObject({
      options: { endpoint: "http://192.0.2.2", headers: { "x-token": "from-environment" } },
      fromEnvironment: false,
    });
    expect(settings({}, env).node(undefined)).toMatchObject({
      options: { endpoint: "http://192.0.2.3" },
      fromEnvironment: true,
    });
    expect(both.receiver(undefined)).toMatchObject({
      options: { url: "http://192.0.2.3/path", clientId: "client-config", secretKey: "secret-env" },
      fromEnvironment: true,
    });
  });

  it("read the nodes of the configuration once, however many of them are in use", () => {
    const nodes = { fra1: { endpoint: "http://192.0.2.1" }, ams1: { endpoint: "http://192.0.2.2" } };
    const read: string[] = [];
    const config = (key: string) => {
      read.push(key);
      return key === "nodes" ? JSON.stringify(nodes) : undefined;
    };
    const given = readSettings(config, {});
    read.length = 0;
    const endpoints = ["fra1", "ams1", "fra1"].map((name) => given.node(name).options.endpoint);
    expect(endpoints).toEqual(["http://192.0.2.1", "http://192.0.2.2", "http://192.0.2.1"]);
    expect(read).toEqual(["nodes"]);
  });

  it("give a named node or an object nothing of the unnamed default: no secret reaches another address", () => {
    const config = {
      headers: { authorization: "Bearer default" },
      endpoint: "http://192.0.2.1",
      nodes: { fra1: { endpoint: "http://192.0.2.2" } },
    };
    expect(settings(config).node("fra1")).toEqual({
      name: "fra1",
      options: { endpoint: "http://192.0.2.2" },
      fromEnvironment: false,
    });
    expect(settings(config).node({ endpoint: "http://192.0.2.3" }).options).toEqual({ endpoint: "http://192.0.2.3" });
  });

  it("have the answers of the unnamed receiver under a key of their own", () => {
    const config = {
      signalingUrl: "http://192.0.2.3/path",
      clientId: "c1",
      secretKey: "k3y",
      answers: { path: "data" },
    };
    const answersOf = (signalingAnswers: unknown) =>
      settings({ ...config, signalingAnswers }).receiver(undefined).options;
    expect(answersOf(undefined)).not.toHaveProperty("answers");
    expect(answersOf({ empty: "{}" })).toHaveProperty("answers", { empty: "{}" });
    expect(answersOf('{"name":"active"}')).toHaveProperty("answers", { name: "active" });
    expect(() => answersOf({ empty: "[]" })).toThrow('packetfilter:signalingAnswers.empty: must be "{}", "" or 404');
    expect(settings(config).node({ endpoint: "http://192.0.2.1" }).options).not.toHaveProperty("answers");
  });

  it("read objects as one JSON text or structured, and numbers as texts", () => {
    const structured = {
      nodes: { fra1: { endpoint: "http://192.0.2.1", timeoutMs: 500, headers: { "x-token": "t" } } },
    };
    const text = {
      nodes: '{"fra1":{"endpoint":"http://192.0.2.1","timeoutMs":"500","headers":"{\\"x-token\\":\\"t\\"}"}}',
    };
    expect(settings(text).node("fra1")).toEqual(settings(structured).node("fra1"));
    expect(settings({ endpoint: "http://192.0.2.1", deadlineMs: "700" }).node(undefined).options.deadlineMs).toBe(700);
    expect(settings({ forbiddenPrefixes: '["192.0.2.0/24"]' }).forbiddenPrefixes().map(String)).toEqual([
      "192.0.2.0/24",
    ]);
    expect(settings({ readOnly: "true" }).readOnly).toBe(true);
    expect(settings({ readOnly: false }, { PACKETFILTER_READ_ONLY: "true" }).readOnly).toBe(false);
  });

  it.each([
    ["no node", () => settings({}).node(undefined), /No node is given: set "packetfilter:endpoint"/],
    [
      "an unknown name",
      () => settings({ nodes: { fra1: {} } }).node("fra2"),
      /"fra2" is not in "packetfilter:nodes" \(it knows fra1\).*config set --path/,
    ],
    [
      "a forgotten client id and secret",
      () => settings({ signalingUrl: "http://192.0.2.1/path" }).receiver(undefined),
      /^packetfilter:clientId is missing: set it with pulumi config set 'packetfilter:clientId' VALUE, or with the environment variable PACKETFILTER_CLIENT_ID; packetfilter:secretKey is missing: set it with pulumi config set --secret 'packetfilter:secretKey', or with .* PACKETFILTER_SECRET_KEY$/,
    ],
    [
      "a forgotten secret of a named receiver",
      () => settings({ receivers: { main: { url: "http://192.0.2.1/path", clientId: "a" } } }).receiver("main"),
      /^packetfilter:receivers\.main\.secretKey is missing: set it with pulumi config set --path --secret 'packetfilter:receivers\.main\.secretKey'$/,
    ],
    ["a prototype's member", () => settings({ nodes: {} }).node("constructor"), /"constructor" is not in/],
    [
      "a bad member",
      () => settings({ nodes: { fra1: { endpoint: "http://192.0.2.1", timeoutMs: "soon" } } }).node("fra1"),
      /packetfilter:nodes\.fra1\.timeoutMs: must be a number/,
    ],
    [
      "an unknown member",
      () => settings({}).node({ endpoint: "http://192.0.2.1", enpoint: "x" }),
      /node: has no member `enpoint`/,
    ],
    ["no JSON", () => settings({ nodes: "{fra1" }).node("fra1"), /packetfilter:nodes is not JSON/],
    [
      "a bad prefix",
      () => settings({ forbiddenPrefixes: ["192.0.2.1/24"] }).forbiddenPrefixes(),
      /packetfilter:forbiddenPrefixes\[0\]: .*host bits/,
    ],
    ["neither true nor false", () => settings({ readOnly: "maybe" }).readOnly, /readOnly is neither true nor false/],
    [
      "no secret",
      () => settings({ signalingUrl: "http://192.0.2.1", clientId: "c" }).receiver(undefined),
      /packetfilter:secretKey/,
    ],
  ])("refuse %s, naming the key", (_name, read, message) => {
    expect(read).toThrow(message);
  });

  it("never show a value that may be secret", () => {
    const secret = "s3cr3t-canary";
    for (const config of [
      { endpoint: "http://192.0.2.1", headers: `{"x-token":"${secret}` },
      { endpoint: `not a url ${secret}` },
      { endpoint: "http://192.0.2.1", headers: { "bad name": secret } },
    ]) {
      expect(() => settings(config).node(undefined)).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining(secret) }),
      );
    }
  });

  it("take tries and pauses for the unnamed node and receiver from the configuration", () => {
    const config = {
      endpoint: "http://192.0.2.1",
      signalingUrl: "http://192.0.2.1/path",
      clientId: "c",
      secretKey: "s",
      maxTries: "2",
      retryPauseMs: 50,
      maxRetryPauseMs: 100,
    };
    const retry = { maxTries: 2, retryPauseMs: 50, maxRetryPauseMs: 100 };
    expect(settings(config).node(undefined).options).toEqual({ endpoint: "http://192.0.2.1", ...retry });
    expect(settings(config).receiver(undefined).options).toMatchObject(retry);
  });

  it("fail with errors of the package, which say what is wrong with the configuration", () => {
    const read = () => settings({}).node(undefined);
    expect(read).toThrow(PacketFilterError);
    expect(read).toThrow(expect.objectContaining({ name: "ConfigError", code: "invalid-config" }));
  });

  it.each<Record<string, string>>([{}, { PACKETFILTER_ALLOW_REMOVALS: "" }, { PACKETFILTER_ALLOW_REMOVALS: " , " }])(
    "lift no limit where no set is named: %o",
    (env) => {
      const urls = ["", " ", "prefixset://edge/a"];
      expect(urls.map((url) => settings({}, env).liftsRemovals(url))).toEqual([false, false, false]);
    },
  );

  it("lift the limit on removals for the sets that are named", () => {
    const lifted = settings({}, { PACKETFILTER_ALLOW_REMOVALS: "prefixset://edge/a, prefixset://edge/b" });
    expect(["a", "b", "c"].map((set) => lifted.liftsRemovals(`prefixset://edge/${set}`))).toEqual([true, true, false]);
  });
});

describe("keys of the configuration that nothing reads", () => {
  it("are reported with the likely key; known keys and keys of others are not", () => {
    const known = ["packetfilter:endpoint", "packetfilter:nodes", "packetfilter:timeoutMs", "packetfilter:readOnly"];
    expect(unknownKeys([...known, "aws:region", "journey:endpiont"])).toEqual([]);
    expect(unknownKeys(["packetfilter:endpiont", "packetfilter:secretkey", "packetfilter:colour"])).toEqual([
      expect.stringContaining('"packetfilter:endpiont" that nothing reads: is "packetfilter:endpoint" meant?'),
      expect.stringContaining('is "packetfilter:secretKey" meant? Remove it with pulumi config rm'),
      expect.stringContaining("docs/configuration.md has all of them"),
    ]);
  });
});
