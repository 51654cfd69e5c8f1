import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { readPrefixFile } from "../../provider/prefixes";
import { run } from "../commands/support";
import { TestStack } from "./support/stack";

const BLOCKED = "prefixset://edge/blocked";
const REGIONS = ["eu", "us"] as const;
const STATE = { arenas: { edge: { sets: { blocked: {} } } } };

/** A project with a stack for each region, made by the CLI: each with a node fra1 of its own, whose token only that stack knows. */
let project: TestStack;
let nodes: Record<(typeof REGIONS)[number], Emulator>;
beforeAll(async () => {
  project = await TestStack.create({ program: "", withPassphrase: true });
  await project.must("stack", "rm", "test", "--yes");
  const [eu, us] = await Promise.all(
    REGIONS.map((region) => startEmulator({ state: STATE, auth: { bearer: `token-${region}` } })),
  );
  nodes = { eu: eu as Emulator, us: us as Emulator };
  for (const region of REGIONS) {
    await project.must("stack", "init", region);
    const set = (...words: string[]) => project.must("config", "set", "--stack", region, ...words);
    await set("--path", "packetfilter:nodes.fra1.endpoint", nodes[region].endpoint);
    await set("--secret", "--path", "packetfilter:nodes.fra1.headers.authorization", `Bearer token-${region}`);
    await set("packetfilter:auditLog", `audit-${region}.ndjson`);
  }
  await project.must("config", "set", "--stack", "us", "packetfilter:forbiddenPrefixes", '["198.51.100.0/24"]');
  await project.write(
    "packetfilter-policies.yaml",
    `sets: [{ pattern: "prefixset://edge/*", role: block, direction: source }]
rules: { require-reason: { level: mandatory, ticket: true } }
`,
  );
}, 180_000);
afterAll(async () => {
  await Promise.all(Object.values(nodes).map((node) => node.close()));
  await project[Symbol.asyncDispose]();
});
beforeEach(() => {
  for (const node of Object.values(nodes)) node.reset();
});

const FILE = ["--file", "blocks.yaml", "--now", BLOCKED, "--all-nodes"];
const here = (...args: string[]) => run(args, { folder: project.folder, env: { PULUMI_CONFIG_PASSPHRASE: "e2e" } });
const block = (prefix: string, ...more: string[]) =>
  here("block", prefix, "--create", "--reason", "flood", "--ticket", "INC-1", "--for", "2h", ...FILE, ...more);
const held = () => REGIONS.map((region) => Object.keys(nodes[region].prefixSet(BLOCKED).applied));
const audited = async (region: string) => {
  const lines = (await readFile(join(project.folder, `audit-${region}.ndjson`), "utf8")).trim().split("\n");
  return lines.map((line) => JSON.parse(line).node);
};

test("are one command: each has its own node, secret and audit log, and the result names them", async () => {
  const ended = await block("203.0.113.7", "--stack", "eu", "--stack", "us");
  expect(ended).toMatchObject({ code: 0, err: "" });
  expect(ended.out).toContain(`\neu/fra1 ${BLOCKED}: done, 1 changed\n`);
  expect(ended.out).toContain(`\nus/fra1 ${BLOCKED}: done, 1 changed\n`);
  expect(ended.out).toMatch(/\n2 nodes: done\.\n$/);
  expect(held()).toEqual([["203.0.113.7/32"], ["203.0.113.7/32"]]);
  for (const region of REGIONS) expect(await audited(region)).toEqual([nodes[region].endpoint]);
  expect(ended.out + ended.err).not.toContain("token-");

  const json = await here("unblock", "203.0.113.7", ...FILE, "--all-stacks", "--output", "json");
  const said = JSON.parse(json.out).nodes.map(({ stack, node, outcome }: Record<string, string>) => [
    stack,
    node,
    outcome,
  ]);
  expect([json.code, said]).toEqual([
    0,
    [
      ["eu", "eu/fra1", "done"],
      ["us", "us/fra1", "done"],
    ],
  ]);
  expect(held()).toEqual([[], []]);
});

test("are each judged by their own limits: what one forbids is sent to none", async () => {
  const refused = await block("198.51.100.9", "--all-stacks");
  expect([refused.code, refused.err]).toEqual([
    1,
    expect.stringContaining("packetfilter:forbiddenPrefixes in Pulumi.us.yaml"),
  ]);
  expect(Object.values(nodes).flatMap(({ journal }) => journal)).toEqual([]);
  expect(await block("198.51.100.9", "--stack", "eu")).toMatchObject({ code: 0, err: "" });
  expect(held()).toEqual([["198.51.100.9/32"], []]);
  expect((await here("unblock", "198.51.100.9", ...FILE, "--stack", "eu")).code).toBe(0);
});

test("are judged by the policies of the project", async () => {
  const refused = await here("block", "203.0.113.8", "--reason", "flood", "--for", "2h", ...FILE, "--stack", "eu,us");
  expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/ticket.*Nothing was changed\./s)]);
  expect(Object.values(nodes).flatMap(({ journal }) => journal)).toEqual([]);
});

test("what is left is said as a command for each stack that has some", async () => {
  nodes.us.fail({ cmd: "list", kind: "reset", times: 99 });
  const ended = await block("203.0.113.7", "--all-stacks", "--timeout", "3s");
  nodes.us.clearFaults();
  expect(ended.out).toMatch(/\n1 of 2 nodes: done\.\nnot sent: us\/fra1\.\n$/);
  const [line = ""] = /pulumi-packetfilter block .*/.exec(ended.err) ?? [];
  expect(line).toContain("--node fra1 --stack us");
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? "");
  expect(await here(...words.slice(1))).toMatchObject({ code: 0, err: "" });
  expect(held()).toEqual([["203.0.113.7/32"], ["203.0.113.7/32"]]);

  // What was sent in both is remembered for both, and is gone from both when it has expired.
  const file = await readFile(join(project.folder, "blocks.yaml"), "utf8");
  await project.write("blocks.yaml", file.replace(/expires: .*/, "expires: 2020-01-01T00:00:00Z"));
  expect((await here("block", "expire", "--file", "blocks.yaml", "--now", "--all-stacks")).code).toBe(0);
  expect([held(), readPrefixFile(join(project.folder, "blocks.yaml"), { allowEmpty: true })]).toEqual([[[], []], {}]);
});

test.each([
  [["--stack", "uss"], 'there are eu, us. Did you mean "us"?'],
  [["--stack", "eu", "--all-stacks"], "--all-stacks and --stack exclude each other."],
  [["--all-stacks", "--endpoint", "http://192.0.2.1"], "--endpoint belongs to one stack"],
  [["--all-stacks", "--node", "fra2"], "--node fra2: none of the chosen stacks knows it."],
  [
    ["--all-stacks", "--config", "config.json"],
    "each of several stacks has its own: give it as STACK=FILE, for eu, us.",
  ],
])("%j is wrong use, and nothing is asked", async (more, sentence) => {
  const ended = await here(
    "block",
    "203.0.113.7",
    "--reason",
    "r",
    "--for",
    "2h",
    "--file",
    "blocks.yaml",
    "--now",
    BLOCKED,
    ...more,
  );
  expect([ended.code, ended.out, ended.err]).toEqual([2, "", expect.stringContaining(sentence)]);
  expect(Object.values(nodes).flatMap(({ journal }) => journal)).toEqual([]);
});
