import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { useEmptyFolder } from "../support/folder";
import { serveRaw } from "../support/raw-server";
import { helpOfAll, run } from "./support";

const BLOCKED = "prefixset://edge/blocked";
/** Made by `pulumi config set --secret` 3.259 with the passphrase `pw`: `{"authorization":"Bearer x"}` and `tok`. */
const SALT = "encryptionsalt: v1:rKg9bwtMYOI=:v1:bFFqGFZtJkbL/k0m:Av5KOGh6DvwiFCpGwIXmHtI/Y3jtgQ==\n";
const HEADERS = "secure: v1:WvSI7wkNGnpZrRb+:sBG6fjBq1BvSH9OYfN6Vl9nWhvzYG98dBzN1AtPwaWawchHoNfi/N/zBUiA=";
const TOKEN = "secure: v1:p4EECiBFY0rWihy5:21nzpur4wGrjaJmMnx2lt0xp/Q==";

const folder = useEmptyFolder();
let node: Emulator;
beforeEach(async () => {
  const state = { arenas: { edge: { sets: { blocked: { "192.0.2.0/24": 1 } } } } };
  node = await startEmulator({ state, auth: { bearer: "x" } });
  await write("Pulumi.yaml", "name: edge\nruntime: nodejs\n");
});
afterEach(async () => {
  await node.close();
});

const write = (name: string, content: string) => writeFile(join(folder, name), content);
const unnamed = (more = "") => `${SALT}config:\n  packetfilter:endpoint: ${node.endpoint}\n${more}`;
const list = (more: string[] = [], env: Record<string, string> = {}, from = folder) =>
  run(["list", BLOCKED, ...more], { folder: from, env });
const passphrase = { PULUMI_CONFIG_PASSPHRASE: "pw" };

test("the node of the stack is asked, with the secrets that the passphrase opens, from any folder below", async () => {
  await write("Pulumi.dev.yaml", unnamed(`  packetfilter:headers:\n    ${HEADERS}\n`));
  await mkdir(join(folder, "below"));
  const ended = await list([], passphrase, join(folder, "below"));
  expect(ended).toMatchObject({ code: 0, err: "" });
  expect(ended.out).toContain("192.0.2.0/24      1");
  await write("phrase", "pw\n");
  expect((await list([], { PULUMI_CONFIG_PASSPHRASE_FILE: join(folder, "phrase") })).code).toBe(0);
});

test("a secret that cannot be read is said, with the option that reads it, and nothing is sent", async () => {
  await write(
    "Pulumi.dev.yaml",
    `${unnamed(`  packetfilter:headers:\n    ${HEADERS}\n`)}  packetfilter:nodes:\n    fra1:\n      endpoint: ${node.endpoint}\n      headers:\n        authorization:\n          ${TOKEN}\n`,
  );
  for (const env of [{}, { PULUMI_CONFIG_PASSPHRASE: "wrong" }] as Record<string, string>[]) {
    const ended = await list([], env);
    expect([ended.code, ended.err]).toEqual([
      2,
      'Pulumi.dev.yaml: packetfilter:headers is encrypted and cannot be read here: set PULUMI_CONFIG_PASSPHRASE if a passphrase protects it, or give --config with the output of "pulumi config --show-secrets --json".\n',
    ]);
  }
  const named = await list(["--node", "fra1"]);
  expect(named.err).toContain("packetfilter:nodes.fra1.headers.authorization is encrypted and cannot be read here");
  expect(node.journal).toEqual([]);
  const headers = { authorization: "Bearer x" };
  const printed = {
    "packetfilter:nodes": { value: "…", objectValue: { fra1: { endpoint: node.endpoint, headers } }, secret: true },
  };
  await write("config.json", JSON.stringify(printed));
  expect((await list(["--node", "fra1", "--config", "config.json"])).code).toBe(0);
});

test("what the stack keeps secret the environment can say of the same node, and of no other", async () => {
  await write("Pulumi.dev.yaml", unnamed(`  packetfilter:headers:\n    ${HEADERS}\n`));
  const PACKETFILTER_HEADERS = '{"authorization":"Bearer x"}';
  const same = await list([], { PACKETFILTER_ENDPOINT: node.endpoint, PACKETFILTER_HEADERS });
  expect(same).toMatchObject({ code: 0, err: "" });
  const other = await list([], { PACKETFILTER_ENDPOINT: "http://192.0.2.1", PACKETFILTER_HEADERS });
  expect([other.code, other.err]).toEqual([2, expect.stringContaining("packetfilter:headers is encrypted")]);
});

test("the stack is the named one, else the selected one, else the only one; argument over configuration over environment", async () => {
  const elsewhere = "config:\n  packetfilter:endpoint: http://192.0.2.1\n";
  await write("Pulumi.dev.yaml", unnamed(`  packetfilter:headers:\n    ${HEADERS}\n`));
  await write("Pulumi.prod.yaml", elsewhere);
  expect((await list([], passphrase)).err).toContain("there are dev, prod");
  expect((await list(["--stack", "organization/edge/dev"], passphrase)).code).toBe(0);
  expect((await list([], { ...passphrase, PULUMI_STACK: "dev" })).code).toBe(0);
  // The limits of a mistyped name would be none.
  const mistyped = await list([], { PULUMI_STACK: "prdo", PACKETFILTER_ENDPOINT: node.endpoint });
  expect([mistyped.code, mistyped.err]).toEqual([2, expect.stringMatching(/^PULUMI_STACK=prdo: .* no Pulumi\.prdo/)]);
  const { createHash } = await import("node:crypto");
  const sha = createHash("sha1").update(join(folder, "Pulumi.yaml")).digest("hex");
  await mkdir(join(folder, "home/workspaces"), { recursive: true });
  const workspace = { stacks: { "file:///somewhere": "organization/edge/dev" } };
  await write(`home/workspaces/edge-${sha}-workspace.json`, JSON.stringify(workspace));
  const selected = await list([], {
    ...passphrase,
    PULUMI_HOME: join(folder, "home"),
    PACKETFILTER_ENDPOINT: "http://192.0.2.1",
  });
  expect(selected).toMatchObject({ code: 0, err: "" });
  const argument = await list(["--endpoint", node.endpoint, "--header", "Authorization: Bearer x"]);
  expect(argument.code).toBe(0);
});

test("limits hold as in up, where --config has them in place of what is encrypted", async () => {
  await write("Pulumi.dev.yaml", "config:\n  packetfilter:forbiddenPrefixes:\n    secure: v1:aaaa\n");
  await write("config.json", JSON.stringify({ "packetfilter:forbiddenPrefixes": { value: '["203.0.113.0/24"]' } }));
  const block = ["block", "203.0.113.7", "--file", "blocks.yaml", "--create", "--reason", "r", "--permanent"];
  const ended = await run([...block, "--config", "config.json"], { folder });
  expect([ended.code, ended.err]).toEqual([
    1,
    expect.stringContaining("packetfilter:forbiddenPrefixes in --config config.json"),
  ]);
  const unread = await run(block, { folder });
  expect([unread.code, unread.err]).toEqual([2, expect.stringContaining("is encrypted and cannot be read here")]);
});

test.each([
  ["its older form of a key", "name: edge", "packetfilter:config:readOnly: true"],
  ["a bare key of a project", "name: packetfilter\nconfig: { readOnly: { default: true } }", ""],
  ["a bare key of a stack", "name: packetfilter", "readOnly: true"],
])("limits hold under %s, as Pulumi reads it", async (_, project, stack) => {
  await write("Pulumi.yaml", `${project}\nruntime: nodejs\n`);
  await write("Pulumi.dev.yaml", `config: { ${stack} }\n`);
  const ended = await run([...BLOCK, "--now", BLOCKED, "--endpoint", node.endpoint], { folder });
  expect([ended.code, ended.err, node.journal]).toEqual([1, expect.stringContaining("nothing may be changed"), []]);
});

const NODE = (endpoint: string) => `config:\n  packetfilter:nodes: { fra1: { endpoint: "${endpoint}" } }\n`;
const BLOCK = ["block", "203.0.113.7", "--file", "blocks.yaml", "--create", "--reason", "r", "--permanent"];

/** Every command that reads the settings of a stack, with what it may be about. */
const OF_STACKS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  list: [
    [BLOCKED, "--node", "fra1"],
    ["--contains", "203.0.113.7"],
  ],
  import: [
    [BLOCKED, "--node", "fra1", "--out", "imported"],
    ["--signaling", "--receiver", "main", "--out", "imported"],
  ],
  capture: [["edge", "--node", "fra1"]],
  probe: [
    [BLOCKED, "--node", "fra1"],
    [BLOCKED, "--write", "--node", "fra1"],
    ["--signaling", "192.0.2.0/24"],
  ],
  block: [["203.0.113.7", "--file", "blocks.yaml", "--create", "--reason", "r", "--permanent"]],
  unblock: [["203.0.113.7", "--file", "kept.yaml"]],
  "block expire": [["--file", "kept.yaml", "--now"]],
};

test("every command that is told a stack is among those that read its settings", async () => {
  const told = [...(await helpOfAll())].flatMap(([words, help]) => (/^ {2}--stack /m.test(help) ? words : []));
  expect(told.toSorted()).toEqual(Object.keys(OF_STACKS).sort());
});

const rows = Object.entries(OF_STACKS).flatMap(([name, all]) => all.map((words) => [...name.split(" "), ...words]));

test.each(rows.map((words) => [words.join(" "), words] as const))(
  "a stack that imports environments is refused, with the way out, by %s",
  async (_, args) => {
    await write("kept.yaml", "203.0.113.7: 1\n");
    await write("Pulumi.prod.yaml", `environment:\n  - shop/prod\n  - shared\n${NODE(node.endpoint)}`);
    const ended = await run(args, { folder });
    expect(ended).toMatchObject({ code: 2, out: "" });
    expect(ended.err).toContain("Pulumi.prod.yaml imports environments (shop/prod, shared)");
    expect(ended.err).toContain('--config FILE with the output of "pulumi config --stack prod --show-secrets --json"');
    expect(node.journal).toEqual([]);
    expect((await readdir(folder)).sort()).toEqual(["Pulumi.prod.yaml", "Pulumi.yaml", "kept.yaml"]);
  },
);

describe("of several stacks --config has a file for each", () => {
  const both = ["--stack", "eu", "--stack", "us"];
  const block = (...more: string[]) => run([...BLOCK, ...more], { folder });
  const prints = (nodes: object, forbidden: string) => ({
    "packetfilter:nodes": { value: JSON.stringify(nodes), secret: true },
    "packetfilter:forbiddenPrefixes": { value: JSON.stringify([forbidden]) },
  });

  test("whose nodes are asked, and whose limits hold", async () => {
    for (const stack of ["eu", "us"]) await write(`Pulumi.${stack}.yaml`, `environment: [shop/${stack}]\n`);
    const unsaid = await block(...both, "--now", BLOCKED, "--all-nodes");
    expect([unsaid.code, unsaid.err]).toEqual([
      2,
      expect.stringContaining(
        'give --config eu=FILE with the output of "pulumi config --stack eu --show-secrets --json"',
      ),
    ]);
    await using other = await startEmulator({ state: { arenas: { edge: { sets: { blocked: {} } } } } });
    using silent = await serveRaw(() => {});
    const headers = { authorization: "Bearer node-secret" };
    await write("eu.json", JSON.stringify(prints({ fra1: { endpoint: other.endpoint } }, "198.51.100.0/24")));
    await write("us.json", JSON.stringify(prints({ nyc1: { endpoint: silent.url, headers } }, "203.0.113.0/24")));
    const files = ["--config", "eu=eu.json", "--config", "us=us.json"];
    const forbidden = await block(...both, ...files);
    expect([forbidden.code, forbidden.err]).toEqual([
      1,
      expect.stringContaining("packetfilter:forbiddenPrefixes in --config us.json"),
    ]);
    await write("us.json", JSON.stringify(prints({ nyc1: { endpoint: silent.url, headers } }, "198.51.100.0/24")));
    const ended = await block("--all-stacks", ...files, "--now", BLOCKED, "--all-nodes", "--timeout", "1s");
    expect(ended.code).toBe(1);
    expect(other.prefixSet(BLOCKED).applied).toEqual({ "203.0.113.7/32": 1 });
    // What finishes the rest is about one of them.
    expect(ended.err).toMatch(/ --stack us --config us=us\.json (?!.*eu)/);
    const unnamed = {
      "packetfilter:endpoint": { value: silent.url },
      "packetfilter:headers": { objectValue: headers },
    };
    await write("us.json", JSON.stringify(unnamed));
    const alone = await block("--all-stacks", ...files, "--now", BLOCKED, "--timeout", "1s");
    expect(alone.err).toMatch(/ --now \S+ --stack us --config us=us\.json --timeout 1s\n$/);
    expect(alone.out).toContain(`\nus/${silent.url} ${BLOCKED}: not sent\n`);
  });

  test.each([
    ["a file without a stack", ["--config", "eu.json"], "has its own: give it as STACK=FILE, for eu, us."],
    ["a stack that is not chosen", ["--config", "ue=eu.json"], 'Did you mean "eu"?'],
    ["one stack twice", ["--config", "eu=a.json", "--config", "eu=b.json"], "--config is given twice for one stack"],
  ])("and %s is wrong use", async (_, files, sentence) => {
    for (const stack of ["eu", "us"]) await write(`Pulumi.${stack}.yaml`, "config: {}\n");
    expect(await block(...both, ...files)).toMatchObject({ code: 2, err: expect.stringContaining(sentence) });
  });
});

test("a receiver of the stack is found by its name", async () => {
  const { clientId, secretKey } = node.clients[0] ?? {};
  await write(
    "Pulumi.dev.yaml",
    `config:\n  packetfilter:receivers:\n    main:\n      url: ${node.signalingUrl}\n      clientId: ${clientId}\n      secretKey: ${secretKey}\n`,
  );
  const ended = await run(["import", "--signaling", "--receiver", "main", "--out", "imported"], { folder });
  expect([ended.code, ended.err]).toEqual([1, expect.stringContaining("Nothing is active at")]);
  const unknown = await run(["import", "--signaling", "--receiver", "other", "--out", "imported"], { folder });
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining("it knows main")]);
});
