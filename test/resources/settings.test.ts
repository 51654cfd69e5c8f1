import { describe, expect, it } from "vitest";
import { CertificateAuthority } from "../../provider/emulator/http/certificates";
import { caught, PacketFilterError } from "../../provider/model/errors";
import { unknownKeys } from "../../provider/settings/config-keys";
import { ConfigError, readSettings } from "../../provider/settings/settings";

const PEM = new CertificateAuthority("test authority", Date.now()).cert;
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

  it("have the members of the unnamed node and receiver under keys of their own, structured or as one JSON text", () => {
    const flat = {
      endpoint: "http://192.0.2.1",
      signalingUrl: "http://192.0.2.3/path",
      clientId: "c1",
      secretKey: "k3y",
    };
    const node = { timeoutMs: 500, answers: { path: "data" } };
    const receiver = { timeoutMs: "700", answers: { name: "active" } };
    for (const given of [
      settings({ ...flat, node, receiver }),
      settings({ ...flat, node: JSON.stringify(node), receiver: JSON.stringify(receiver) }),
    ]) {
      expect(given.node(undefined).options).toEqual({ endpoint: "http://192.0.2.1", ...node });
      expect(given.receiver(undefined).options).toEqual({
        url: "http://192.0.2.3/path",
        clientId: "c1",
        secretKey: "k3y",
        timeoutMs: 700,
        answers: { name: "active" },
      });
    }
    const whole = {
      node: { endpoint: "http://192.0.2.1" },
      receiver: { url: "http://192.0.2.3/path", clientId: "c1" },
    };
    const { secretKey } = flat;
    expect(settings(whole).node(undefined).options).toEqual({ endpoint: "http://192.0.2.1" });
    expect(settings({ ...whole, secretKey }).receiver(undefined).options).toEqual({ ...whole.receiver, secretKey });
    expect(settings({ endpoint: "http://192.0.2.1", node: { tls: { ca: PEM } } }).node).toThrow(
      "packetfilter:node.tls: has no effect, since `endpoint` is not https",
    );
  });

  it("refuse what a flat key and a member both say", () => {
    const twice = { endpoint: "http://192.0.2.1", node: { endpoint: "http://192.0.2.2" } };
    expect(settings(twice).node).toThrow(
      /^packetfilter:endpoint and packetfilter:node\.endpoint are the same setting: keep one, and remove the other with pulumi config rm 'packetfilter:endpoint' or pulumi config rm --path 'packetfilter:node\.endpoint'\.$/,
    );
    const receiver = { url: "http://192.0.2.3/path", clientId: "c1", secretKey: "k3y" };
    expect(settings({ secretKey: "k3y", receiver }).receiver).toThrow(
      /^packetfilter:secretKey and packetfilter:receiver\.secretKey are the same setting/,
    );
  });

  it("read objects as one JSON text or structured, and numbers as texts", () => {
    const structured = {
      nodes: { fra1: { endpoint: "http://192.0.2.1", timeoutMs: 500, headers: { "x-token": "t" } } },
    };
    const text = {
      nodes: '{"fra1":{"endpoint":"http://192.0.2.1","timeoutMs":"500","headers":"{\\"x-token\\":\\"t\\"}"}}',
    };
    expect(settings(text).node("fra1")).toEqual(settings(structured).node("fra1"));
    expect(
      settings({ endpoint: "http://192.0.2.1", node: { deadlineMs: "700" } }).node(undefined).options.deadlineMs,
    ).toBe(700);
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
      /node: has no member `enpoint`: `endpoint` is likely meant/,
    ],
    ["no JSON", () => settings({ nodes: "{fra1" }).node("fra1"), /packetfilter:nodes is not JSON/],
    [
      "a bad prefix",
      () => settings({ forbiddenPrefixes: ["192.0.2.1/24"] }).forbiddenPrefixes(),
      /packetfilter:forbiddenPrefixes\[0\]: .*host bits/,
    ],
    ["neither true nor false", () => settings({ readOnly: "maybe" }).readOnly, /readOnly is neither true nor false/],
    [
      "no value",
      () => settings({ readOnly: "" }, { PACKETFILTER_READ_ONLY: "1" }).readOnly,
      /packetfilter:readOnly is/,
    ],
    ["no file name", () => settings({ auditLog: { a: 1 } }).auditLog, /auditLog is not the name of a file/],
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

  it("fail with errors of the package, which say what is wrong with the configuration", () => {
    const read = () => settings({}).node(undefined);
    expect(read).toThrow(PacketFilterError);
    expect(read).toThrow(expect.objectContaining({ name: "ConfigError", code: "invalid-config" }));
  });

  it.each<Record<string, string>>([{}, { PACKETFILTER_ALLOW: "" }, { PACKETFILTER_ALLOW: " , " }])(
    "lift no limit where no set is named: %o",
    (env) => {
      const urls = ["", " ", "prefixset://edge/a"];
      expect(urls.map((url) => settings({}, env).lifts(url))).toEqual([false, false, false]);
    },
  );

  it("lift the limits for the sets that are named", () => {
    const lifted = settings({}, { PACKETFILTER_ALLOW: "prefixset://edge/a, prefixset://edge/b" });
    expect(["a", "b", "c"].map((set) => lifted.lifts(`prefixset://edge/${set}`))).toEqual([true, true, false]);
  });
});

describe("keys of the configuration that nothing reads", () => {
  it("are reported with the likely key; known keys and keys of others are not", () => {
    const known = ["packetfilter:endpoint", "packetfilter:nodes", "packetfilter:node", "packetfilter:readOnly"];
    expect(unknownKeys([...known, "aws:region", "journey:endpiont"])).toEqual({ refused: [], passed: [] });
    const { refused, passed } = unknownKeys(["packetfilter:endpiont", "packetfilter:secretkey", "packetfilter:colour"]);
    expect(refused).toEqual([]);
    expect(passed).toEqual([
      expect.stringContaining('"packetfilter:endpiont" that nothing reads: did you mean "packetfilter:endpoint"?'),
      expect.stringContaining('did you mean "packetfilter:secretKey"? Remove it with pulumi config rm'),
      expect.stringContaining("docs/configuration.md has all of them"),
    ]);
  });

  it("are members of nodes and receivers, too: what protects is an error with what was meant, wherever it stands", () => {
    const at = { endpoint: "http://192.0.2.1", url: "http://192.0.2.1", clientId: "c", secretKey: "s" };
    const { endpoint, ...receiver } = at;
    const told = [
      () => settings({ nodes: { fra1: { endpoint, maxValeu: 255 } } }).node("fra1"),
      () => settings({ endpoint, node: { forignStaged: "fail" } }).node(undefined),
      () => settings({}).node({ endpoint, commitdelayms: 5 }),
      () => settings({ receivers: { dc: { ...receiver, deadlineMS: 5 } } }).receiver("dc"),
    ].map((read) =>
      caught(
        () => String(read()),
        ConfigError,
        ({ message }) => message,
      ),
    );
    expect(told).toEqual([
      "packetfilter:nodes.fra1: has no member `maxValeu`: `maxValue` is likely meant",
      "packetfilter:node: has no member `forignStaged`: `foreignStaged` is likely meant",
      "node: has no member `commitdelayms`: `commitDelayMs` is likely meant",
      "packetfilter:receivers.dc: has no member `deadlineMS`: `deadlineMs` is likely meant",
    ]);
  });

  it("lead from a member of a node or receiver to its place", () => {
    const meant = (...paths: string[]) => expect.stringContaining(`did you mean ${paths.join(" or ")}?`);
    expect(unknownKeys(["maxvalue", "timoutMs", "tls", "markPace"].map((name) => `packetfilter:${name}`))).toEqual({
      refused: [
        meant('"packetfilter:node.maxValue"'),
        meant('"packetfilter:node.tls"', '"packetfilter:receiver.tls"'),
        meant('"packetfilter:node.markPace"'),
      ],
      passed: [meant('"packetfilter:node.timeoutMs"', '"packetfilter:receiver.timeoutMs"')],
    });
  });

  it.each(["maxRemoval", "forbidenPrefixes", "readonly", "max_entries", "requiredPrefix", "shortestPrefixes"])(
    "are refused where a limit is likely meant: %s",
    (name) => {
      const { refused, passed } = unknownKeys([`packetfilter:${name}`]);
      expect(passed).toEqual([]);
      expect(refused).toEqual([expect.stringMatching(/that nothing reads: did you mean "packetfilter:\w+"\?/)]);
    },
  );
});

it("what is wrong is told with the name of what set it", () => {
  const endpoint = "https://192.0.2.10";
  const own = { PACKETFILTER_ENDPOINT: endpoint, PACKETFILTER_HEADERS: "Bearer" };
  const settings = (config: Record<string, unknown>, env: Record<string, string>) =>
    readSettings((key) => config[key], env);
  const node =
    (...given: Parameters<typeof settings>) =>
    () =>
      settings(...given).node(undefined);
  expect(node({}, own)).toThrow(/^PACKETFILTER_HEADERS: must be an object of strings/);
  expect(node({}, { ...own, PACKETFILTER_HEADERS: '{"a b":"c"}' })).toThrow(
    /^PACKETFILTER_HEADERS\.a b: is not the name/,
  );
  expect(node({ endpoint, headers: "Bearer" }, {})).toThrow(/^packetfilter:headers: must be an object of strings/);
  expect(node({}, { PACKETFILTER_ENDPOINT: "ftp://192.0.2.10" })).toThrow(/^PACKETFILTER_ENDPOINT: /);
  const receiver =
    (...given: Parameters<typeof settings>) =>
    () =>
      settings(...given).receiver(undefined);
  expect(receiver({ signalingUrl: "ftp://192.0.2.20", clientId: "c", secretKey: "s" }, {})).toThrow(
    /^packetfilter:signalingUrl: /,
  );
  const env = {
    PACKETFILTER_SIGNALING_URL: "https://192.0.2.20",
    PACKETFILTER_CLIENT_ID: "..",
    PACKETFILTER_SECRET_KEY: "s",
  };
  expect(receiver({}, env)).toThrow(/^PACKETFILTER_CLIENT_ID: must not be/);
  expect(() => settings({}, { PACKETFILTER_READ_ONLY: "perhaps" })).toThrow(
    /^PACKETFILTER_READ_ONLY is neither true nor false/,
  );
});
