import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { LIMIT_KEYS } from "../../provider/settings/config-keys";
import { useEmptyFolder } from "../support/folder";
import { run } from "./support";

const BLOCKED = "prefixset://edge/blocked";
const NOW = Date.parse("2030-01-31T18:00:00Z");
const MANY = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`198.18.0.${index}/32`, 1]));

const root = useEmptyFolder();
let emulator: Emulator;
beforeEach(async () => {
  await mkdir(join(root, "edge", "lists"), { recursive: true });
  const sets = { blocked: { "192.0.2.0/24": 1 }, many: MANY, empty: {} };
  emulator = await startEmulator({ state: { arenas: { edge: { sets } } } });
});
afterEach(async () => {
  await emulator.close();
});

const write = (name: string, content: string) => writeFile(join(root, "edge", name), content);
const project = (config: string, more = "") => write("Pulumi.yaml", `name: edge\nruntime: nodejs\n${more}${config}`);
/** The file lies in the program's folder, and the command is typed above it. */
const here = (args: readonly string[], env: Record<string, string> = {}) =>
  run(args, { folder: root, now: () => NOW, env: { PACKETFILTER_ENDPOINT: emulator.endpoint, ...env } });
const block = (prefixes: string | string[], more: string[] = [], env = {}) =>
  here(
    ["block", ...[prefixes].flat(), "--file", "edge/blocks.yaml", "--create", ...WHY, ...lifetime(more), ...more],
    env,
  );
const WHY = ["--reason", "r"];
const inProject = (args: readonly string[]) =>
  run(args, { folder: join(root, "edge"), env: { PACKETFILTER_ENDPOINT: emulator.endpoint } });
const lifetime = (more: readonly string[]) => (more.includes("--for") ? [] : ["--for", "2h"]);
const unblock = (prefixes: string[], more: string[] = []) =>
  here(["unblock", ...prefixes, "--file", "edge/blocks.yaml", ...more]);
const now = ["--now", BLOCKED];
const changes = () => emulator.journal.filter(({ cmd }) => cmd !== "list").length;
const untouched = () => expect([existsSync(join(root, "edge/blocks.yaml")), changes()]).toEqual([false, 0]);

describe("block judges as up does", () => {
  const LIST = '["203.0.113.0/24"]';
  test.each([
    ["a plain value of the project", `config:\n  packetfilter:forbiddenPrefixes: ${LIST}\n`, "", "Pulumi.yaml"],
    ["a value", `config:\n  packetfilter:forbiddenPrefixes: { value: ${LIST} }\n`, "", "Pulumi.yaml"],
    ["a default", `config:\n  packetfilter:forbiddenPrefixes: { default: ${LIST} }\n`, "", "Pulumi.yaml"],
    ["JSON text", `config:\n  packetfilter:forbiddenPrefixes: { value: '${LIST}' }\n`, "", "Pulumi.yaml"],
    ["the stack", "", `config:\n  packetfilter:forbiddenPrefixes: ${LIST}\n`, "Pulumi.prod.yaml"],
  ])("by forbidden prefixes, from above the folder: %s", async (_, ofProject, ofStack, source) => {
    await project(ofProject);
    await write("Pulumi.prod.yaml", ofStack);
    const ended = await block("203.0.113.7", now);
    expect(ended).toMatchObject({ code: 1, out: "" });
    expect(ended.err).toContain("203.0.113.7/32 overlaps the forbidden prefix 203.0.113.0/24");
    expect(ended.err).toContain(source);
    untouched();
  });

  test.each([
    ["block", () => block("203.0.113.7", now)],
    ["unblock", () => unblock(["203.0.113.7"], now)],
    ["list", () => inProject(["list", BLOCKED])],
    ["import", () => inProject(["import", BLOCKED, "--out", "imported"])],
    ["probe", () => inProject(["probe", BLOCKED])],
  ])("%s refuses a key that was likely meant as a limit, and asks nothing", async (_command, type) => {
    await project('config:\n  packetfilter:forbidenPrefixes: ["203.0.113.0/24"]\n');
    const ended = await type();
    expect(ended.code).toBe(2);
    expect(ended.err).toContain(
      'The configuration has a key "packetfilter:forbidenPrefixes" that nothing reads: did you mean "packetfilter:forbiddenPrefixes"?',
    );
    expect(emulator.journal).toEqual([]);
    untouched();
  });

  test("a setting of the stack stands in place of the project's", async () => {
    await project(`config:\n  packetfilter:forbiddenPrefixes: ${LIST}\n`);
    await write("Pulumi.prod.yaml", 'config:\n  packetfilter:forbiddenPrefixes: ["192.0.2.0/28"]\n');
    expect(await block("203.0.113.7", now)).toMatchObject({ code: 0, err: "" });
    expect((await block("192.0.2.1", now)).err).toContain("forbidden prefix 192.0.2.0/28");
  });

  test("by the shortest prefix and by how many entries a set may hold", async () => {
    await project("config:\n  packetfilter:shortestPrefix: { value: { ipv4: 24 } }\n  packetfilter:maxEntries: 2\n");
    const short = await block("203.0.112.0/23");
    expect([short.code, short.err]).toEqual([1, expect.stringContaining("203.0.112.0/23 is shorter than /24")]);
    untouched();
    const many = await block(["203.0.113.1", "203.0.113.2", "203.0.113.3"]);
    expect([many.code, many.err]).toEqual([1, expect.stringContaining("3 entries are more than maxEntries (2)")]);
    untouched();
    // The node's set has an entry already, which the file does not know of.
    const full = await block(["203.0.113.1", "203.0.113.2"], now);
    expect([full.code, full.err]).toEqual([1, expect.stringContaining("3 entries are more than maxEntries (2)")]);
    expect(changes()).toBe(0);
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 1 });
  });

  test("without the expired entries of the file, which a program removes from it before it judges", async () => {
    await project("config:\n  packetfilter:maxEntries: 2\n");
    const over = 'expires: "2030-01-31T17:00:00Z"';
    await write("blocks.yaml", `198.51.100.1: { ${over} }\n198.51.100.2: { ${over} }\n`);
    expect(await block(["203.0.113.1", "203.0.113.2"])).toMatchObject({ code: 0, err: "" });
    const again = await block("198.51.100.1");
    expect([again.code, again.err]).toEqual([1, expect.stringContaining("3 entries are more than maxEntries (2)")]);
  });

  test("by what is covered together, in the command and in the file, unless the stack has the word", async () => {
    const refused = [1, expect.stringMatching(/IPv4 entries together cover more than a quarter.*Nothing was changed/)];
    for (const halves of [["0.0.0.0/1", "128.0.0.0/1"], "128.0.0.0/1"]) {
      const ended = await block(halves, now);
      expect([ended.code, ended.err]).toEqual(refused);
      expect(ended.err).toContain("Commands take this limit from packetfilter:shortestPrefix.");
      untouched();
    }
    expect((await block("64.0.0.0/2")).code).toBe(0);
    const second = await block("128.0.0.0/2", now);
    expect([second.code, second.err]).toEqual(refused);
    expect(changes()).toBe(0);
    await project("config:\n  packetfilter:shortestPrefix: { value: { ipv4: 1 } }\n");
    expect(await block("128.0.0.0/2")).toMatchObject({ code: 0, err: "" });
    await project("");
    // The file covers so much already.
    expect(await block("203.0.113.7")).toMatchObject({ code: 0, err: "" });
  });

  test.each([
    ["config:\n  packetfilter:readOnly: true\n", "Pulumi.yaml"],
    ['config:\n  packetfilter:readOnly: { value: "true" }\n', "Pulumi.yaml"],
  ])("by readOnly: %j", async (config, source) => {
    await project(config);
    const ended = await block("203.0.113.7", now);
    expect([ended.code, ended.err]).toEqual([1, expect.stringContaining(`packetfilter:readOnly in ${source}`)]);
    untouched();
    expect((await block("203.0.113.7")).code).toBe(0);
  });

  test("with the nearest project above the file, past folders without one", async () => {
    await project("config:\n  packetfilter:readOnly: true\n");
    await writeFile(join(root, "Pulumi.yaml"), "name: other\nruntime: nodejs\n");
    const file = ["--file", "edge/lists/blocks.yaml"];
    const ended = await here(["block", "203.0.113.7", ...file, ...WHY, "--for", "2h", ...now]);
    expect([ended.code, ended.err]).toEqual([1, expect.stringContaining("packetfilter:readOnly in Pulumi.yaml")]);
  });

  test.each(LIMIT_KEYS)("and refuses where it cannot read a limit: %s, whole or in part", async (key) => {
    await project("config:\n  packetfilter:maxRemovals: { value: 5 }\n");
    await write("kept.yaml", "203.0.113.7: 1\n");
    const secret = "{ secure: v1:aaaa }";
    for (const value of [secret, `[${secret}]`, `{ ipv4: ${secret} }`]) {
      await write("Pulumi.prod.yaml", `config:\n  packetfilter:${key}: ${value}\n`);
      const commands = [
        ["block", "203.0.113.7", "--file", "edge/blocks.yaml", "--create", "--reason", "r", "--permanent", ...now],
        ["unblock", "203.0.113.7", "--file", "edge/kept.yaml", ...now],
        ["block", "expire", "--file", "edge/kept.yaml", ...now],
      ];
      for (const words of commands) {
        const ended = await here(words);
        expect([words, ended.code, ended.out]).toEqual([words, 2, ""]);
        expect(ended.err).toMatch(
          new RegExp(
            `Pulumi\\.prod\\.yaml: packetfilter:${key}.* is encrypted and cannot be read here, so its limit is not known`,
          ),
        );
        untouched();
      }
    }
  });

  test.each([
    "config:\n  packetfilter:maxEntries: many\n",
    "config: [\n",
    "config:\n  packetfilter:shortestPrefix: { value: { ipv4: 40 } }\n",
    // A key whose value was forgotten lifts no limit, whatever its kind.
    "config:\n  packetfilter:shortestPrefix: { value: { ipv4: } }\n",
    'config:\n  packetfilter:shortestPrefix: { value: { ipv4: "0x10" } }\n',
    "config:\n  packetfilter:maxRemovals:\n",
    "config:\n  packetfilter:readOnly:\n",
    "config:\n  packetfilter:auditLog:\n",
  ])("and changes nothing where the settings make no sense: %j", async (config) => {
    await project(config);
    const ended = await block("203.0.113.7", now);
    expect([ended.code, ended.err]).toEqual([2, expect.stringMatching(/^Pulumi\.yaml: .*Nothing was changed/)]);
    untouched();
  });
});

describe("unblock limits removals as up does", () => {
  const many = ["--now", "prefixset://edge/many"];
  const some = Object.keys(MANY).slice(0, 25);

  test("at the node, by what its set held", async () => {
    await project("config:\n  packetfilter:maxRemovals: 10%\n");
    const listed = some.map((prefix) => `${prefix}: 1\n`).join("");
    await write("blocks.yaml", listed);
    const ended = await unblock(some, many);
    expect([ended.code, ended.err]).toEqual([1, expect.stringContaining("25 of the 60 entries")]);
    expect(ended.err).toContain("Nothing was changed, the file neither");
    expect(await readFile(join(root, "edge/blocks.yaml"), "utf8")).toBe(listed);
    expect(emulator.prefixSet("prefixset://edge/many").applied).toEqual(MANY);
    expect(changes()).toBe(0);
    const lifted = await here(["unblock", ...some, "--file", "edge/blocks.yaml", ...many], {
      PACKETFILTER_ALLOW: "prefixset://edge/many",
    });
    expect(lifted.code).toBe(0);
  });

  test("at the node, by what must stay covered", async () => {
    await project('config:\n  packetfilter:requiredPrefixes: ["192.0.2.1"]\n');
    // In the file a wider entry covers it, which the node does not have.
    await write("blocks.yaml", "192.0.2.0/24: 1\n192.0.0.0/16: 1\n");
    const ended = await unblock(["192.0.2.0/24"], now);
    expect([ended.code, ended.err]).toEqual([1, expect.stringContaining("no entry covers 192.0.2.1/32")]);
    expect(changes()).toBe(0);
    expect(await readFile(join(root, "edge/blocks.yaml"), "utf8")).toBe("192.0.2.0/24: 1\n192.0.0.0/16: 1\n");
  });
});

describe("an expired wider entry of the file", () => {
  const WIDER = '192.0.2.0/24: 1\n192.0.0.0/16: { expires: "2030-01-31T17:00:00Z" }\n';

  test("covers nothing that must stay covered", async () => {
    await project('config:\n  packetfilter:requiredPrefixes: ["192.0.2.1"]\n');
    await write("blocks.yaml", WIDER);
    const ended = await unblock(["192.0.2.0/24"]);
    expect([ended.code, ended.err]).toEqual([1, expect.stringContaining("No entry would cover 192.0.2.1/32 any more")]);
    expect(await readFile(join(root, "edge/blocks.yaml"), "utf8")).toBe(WIDER);
  });

  test("covers no removed prefix", async () => {
    await project("");
    await write("blocks.yaml", WIDER);
    expect(await unblock(["192.0.2.0/24"])).toMatchObject({ code: 0, err: "" });
  });
});

test("block limits changes of values as up does", async () => {
  await project("config:\n  packetfilter:maxChanges: 10%\n");
  const prefixes = Object.keys(MANY).slice(0, 25);
  const args = ["--value", "7", "--force", "--now", "prefixset://edge/many"];
  const ended = await block(prefixes, args);
  expect([ended.code, ended.err]).toEqual([
    1,
    expect.stringContaining("at least 25 of the 60 entries that the set held when it began another value"),
  ]);
  expect(emulator.prefixSet("prefixset://edge/many").applied).toEqual(MANY);
  untouched();
  expect((await block(prefixes.slice(0, 20), args)).code).toBe(0);
  expect((await block(prefixes, args, { PACKETFILTER_ALLOW: "prefixset://edge/many" })).code).toBe(0);
});

test("one line of the audit log for each mutation, in the folder of the program, where up has it", async () => {
  await mkdir(join(root, "edge/app"));
  await project("config:\n  packetfilter:auditLog: { value: audit.ndjson }\n", "main: app\n");
  await block("203.0.113.7", now, { PACKETFILTER_ACTOR: "night shift" });
  await block("203.0.113.7", now);
  emulator.fail({ cmd: "commit", status: 401, times: 9 });
  await unblock(["203.0.113.7"], now);
  const lines = (await readFile(join(root, "edge/app/audit.ndjson"), "utf8")).trim().split("\n");
  const [applied, failed, ...more] = lines.map((line) => JSON.parse(line));
  expect(applied).toEqual({
    time: "2030-01-31T18:00:00.000Z",
    actor: "night shift",
    node: emulator.endpoint,
    set: BLOCKED,
    prefixes: { "203.0.113.7/32": { old: null, new: 1 } },
    reason: "r",
    outcome: "applied",
  });
  expect(failed).toMatchObject({ set: BLOCKED, outcome: expect.stringContaining("commit failed (HTTP 401)") });
  expect(more).toEqual([]);
  // A program that is not built has no folder yet.
  emulator.clearFaults();
  await project("config:\n  packetfilter:auditLog: { value: audit.ndjson }\n", "main: dist/main.js\n");
  expect((await block("203.0.113.9", now)).code).toBe(0);
  expect(await readFile(join(root, "edge/audit.ndjson"), "utf8")).toContain('"203.0.113.9/32"');
});

test("an audit log that cannot be written stops a change before anything is sent", async () => {
  await project("config:\n  packetfilter:auditLog: { value: missing/audit.ndjson }\n");
  const ended = await block("203.0.113.7", now);
  expect([ended.code, ended.err]).toEqual([1, expect.stringContaining("missing/audit.ndjson cannot be written")]);
  untouched();
});

test("an audit log whose disk is full once the change is made is a warning", async () => {
  await project("config:\n  packetfilter:auditLog: { value: /dev/full }\n");
  const ended = await block("203.0.113.7", now);
  expect([ended.code, ended.err]).toEqual([0, expect.stringContaining("is not in the audit log /dev/full: ENOSPC")]);
  expect(emulator.prefixSet(BLOCKED).applied).toMatchObject({ "203.0.113.7/32": 1 });
});

describe("mandatory policies beside the program", () => {
  const POLICIES = `sets:
  - { pattern: "prefixset://*/blocked", role: block, direction: source }
  - { pattern: "prefixset://*/bogons", role: block, direction: source }
managementPrefixes: [192.0.2.0/28]
rules:
  organisation-rails: { level: mandatory, rails: [{ forbiddenPrefixes: [203.0.113.128/25], requiredPrefixes: [198.51.100.0/24] }] }
  require-reason: { level: mandatory, ticket: true, except: ["prefixset://*/bogons"] }
  # In a preview this level fails as mandatory does.
  max-lifetime: { level: remediate, longest: 1d, except: ["prefixset://*/bogons"] }
`;
  beforeEach(async () => {
    await project("");
    await write("packetfilter-policies.yaml", POLICIES);
  });
  const ticket = ["--ticket", "INC-1"];
  const bogons = ["--now", "prefixset://edge/bogons"];

  test.each([
    ["protected-prefixes", "192.0.2.1", ticket],
    ["prefix-length", "16.0.0.0/7", ticket],
    ["organisation-rails", "203.0.113.200", ticket],
    ["require-reason", "203.0.113.7", []],
    ["max-lifetime", "203.0.113.7", [...ticket, "--for", "2d"]],
  ])("hold for a set: %s", async (rule, prefix, more) => {
    const ended = await block(prefix, [...now, ...more]);
    expect(ended).toMatchObject({ code: 1, out: "" });
    expect(ended.err).toContain(`Rule ${rule}`);
    expect(ended.err).toContain("Nothing was changed");
    untouched();
  });

  test("judge the file where no set is named: what every block set would refuse is refused", async () => {
    const ended = await block("192.0.2.1", ticket);
    expect([ended.code, ended.err]).toEqual([1, expect.stringContaining("Rule protected-prefixes")]);
    untouched();
    const some = await block("203.0.113.7", [...ticket, "--for", "2d"]);
    expect([some.code, some.err]).toEqual([0, expect.stringContaining("Rule max-lifetime")]);
  });

  test("are lifted as in a preview, and those that only advise say nothing", async () => {
    const emergency = await block("203.0.113.7", now, { PACKETFILTER_POLICIES_EMERGENCY: "INC-9" });
    expect([emergency.code, emergency.err]).toEqual([0, expect.stringContaining("Emergency INC-9")]);
    expect(await block("203.0.113.7", [...now, ...ticket])).toMatchObject({ code: 0, err: "" });
    const set = await block("203.0.113.9", [...bogons, "--for", "3d"]);
    expect(set.err).not.toContain("Rule ");
  });

  test.each(["", "# No rule.\n"])("an empty file is refused: %j", async (text) => {
    await write("packetfilter-policies.yaml", text);
    const ended = await block("203.0.113.7", now);
    expect([ended.code, ended.err]).toEqual([2, expect.stringContaining("is empty: write at least {}")]);
    untouched();
  });

  test("change nothing where they make no sense", async () => {
    await write("packetfilter-policies.yaml", "rules: { prefix-lenght: mandatory }\n");
    const ended = await block("203.0.113.7", now);
    expect([ended.code, ended.err]).toEqual([2, expect.stringContaining("packetfilter-policies.yaml")]);
    untouched();
  });
});

describe("probe", () => {
  const EMPTY = "prefixset://edge/empty";
  const probe = (...args: string[]) =>
    run(["probe", EMPTY, ...args], {
      folder: join(root, "edge"),
      env: { PACKETFILTER_ENDPOINT: emulator.endpoint },
    });

  test("--write sends nothing where nothing may be changed", async () => {
    await project("config:\n  packetfilter:readOnly: { value: true }\n");
    const ended = await probe("--write");
    expect([ended.code, ended.err]).toEqual([1, expect.stringContaining("packetfilter:readOnly in Pulumi.yaml")]);
    expect(emulator.journal).toEqual([]);
  });

  test("--write is in the audit log", async () => {
    await project("config:\n  packetfilter:auditLog: { value: audit.ndjson }\n");
    expect((await probe("--write")).code).toBe(0);
    const lines = (await readFile(join(root, "edge/audit.ndjson"), "utf8")).trim().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        node: emulator.endpoint,
        set: EMPTY,
        reason: "probe --write",
        outcome: "left as it was",
      }),
    ]);
  });
});
