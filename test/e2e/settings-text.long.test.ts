import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readProject } from "../../provider/commands/project";
import { messageOf } from "../../provider/model/errors";
import type { ConfigKey } from "../../provider/settings/config-keys";
import { ConfigError, readSettings, type Settings } from "../../provider/settings/settings";
import { TestStack } from "./support/stack";

const NAMES = ["fra1", "ams1", "1", "true"];

let stack: TestStack;
let head: string;
beforeAll(async () => {
  stack = await TestStack.create({ program: "" });
  head = await stack.read("Pulumi.test.yaml");
}, 60_000);
afterAll(() => stack[Symbol.asyncDispose]());

/** All that a gate asks settings for; what cannot be read stands there as its error. */
function read(settings: () => Settings): unknown {
  const value = <T>(get: () => T) => {
    try {
      return get();
    } catch (error) {
      if (error instanceof ConfigError) return "refused";
      throw error;
    }
  };
  return value(() => {
    const all = settings();
    const shares = [all.maxRemovals, all.maxChanges].map((share) => share && [10, 1_000].map(share.of));
    const limits = [all.forbiddenPrefixes, all.requiredPrefixes].map((get) => value(() => get().map(String)));
    const nodes = [undefined, ...NAMES].map((name) => value(() => all.node(name).options));
    return {
      shares,
      readOnly: all.readOnly,
      limits,
      nodes,
      others: [value(all.shortestPrefix), value(all.maxEntries)],
    };
  });
}

/** As the engine reads the stack's file and gives it to the provider, and as a command of this package judges it. */
async function bothReadings(text: string): Promise<{ executor: unknown; judge: unknown }> {
  await stack.write("Pulumi.test.yaml", `${head}${text}`);
  const { code, stdout } = await stack.pulumi("config", "--json", "--show-secrets");
  const given = code === 0 ? JSON.parse(stdout) : undefined;
  const executor = given && read(() => readSettings((key: ConfigKey) => given[`packetfilter:${key}`]?.value, {}));
  const io = { env: {}, folder: stack.folder, out: () => {}, err: () => {} };
  const judge = await readProject({ stack: "test" }, io as never).then(
    ({ settings }) => read(() => settings),
    (error) => ({ refused: messageOf(error) }),
  );
  return { executor, judge };
}

/** Scalars of which readers of YAML have one opinion, and those of which they have several. */
const scalar = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom("5000", "1e3", "1.0", "+12", "0x1F", "20%", '"010"', "'5000'", "true", "|-\n      7"),
  },
  fc.constantFrom(
    ...["010", "089", "0o10", "-0x1F", "0b11", "1_000", ".5", "-0", "12:30:45", "yes", "on", "~", "null", "", "*one"],
    ...["123456789012345678901234567890", "12345678901234567", "1e400", ".inf", ".nan", "2026-01-02", "!!str 12"],
    ...['!!int "12"', "&two 010"],
  ),
);
const prefixes = fc.constantFrom(
  "[10.0.0.0/8]",
  "[10.0.0.0/8, *net]",
  "'[\"10.0.0.0/8\"]'",
  "*nets",
  "~",
  "[1.5]",
  "{}",
);
const name = fc.constantFrom("fra1", "ams1", "fra1", "ams1", "1", "true", "~", "<<", '"<<"', "? [a]", "010");
const member = fc.constantFrom("endpoint", "timeoutMs", "maxConcurrency", "answers", "<<");
const address = fc.constantFrom("https://192.0.2.10", '"http://192.0.2.11:80/fapi"', "*one");
const deep = fc.integer({ min: 1, max: 250 }).map((levels) => `${"[".repeat(levels)}1${"]".repeat(levels)}`);
const json = fc
  .array(fc.tuple(fc.constantFrom("fra1", "ams1"), fc.constantFrom("http://192.0.2.1", "http://192.0.2.2")), {
    maxLength: 3,
  })
  .map((pairs) => `'{${pairs.map(([key, url]) => `"${key}":{"endpoint":"${url}","timeoutMs":1e3}`).join(",")}}'`);
const node = fc
  .array(fc.tuple(member, fc.oneof(address, scalar, deep, fc.constant("*node"))), { maxLength: 3 })
  .map(
    (pairs) =>
      `{${[["endpoint", "http://192.0.2.9"], ...pairs].map(([key, value]) => `${key}: ${value?.replace(/\n\s*/, "")}`).join(", ")}}`,
  );
const nodes = fc
  .oneof(
    { weight: 3, arbitrary: fc.array(fc.tuple(name, fc.oneof(node, fc.constant("*node"))), { maxLength: 3 }) },
    fc.constant([]),
  )
  .map((pairs) =>
    pairs.length === 0 ? "{}" : `\n${pairs.map(([key, value]) => `    ${key}: ${value}\n`).join("")}`.trimEnd(),
  );
const line = fc.oneof(
  fc.tuple(fc.constantFrom("maxEntries", "maxRemovals", "maxChanges", "readOnly"), scalar),
  fc.tuple(fc.constantFrom("forbiddenPrefixes", "requiredPrefixes"), prefixes),
  fc.tuple(
    fc.constant("shortestPrefix"),
    fc.tuple(scalar, scalar).map(([a, b]) => `\n    ipv4: ${a}\n    ipv6: ${b}`),
  ),
  fc.tuple(fc.constant("nodes"), fc.oneof(nodes, json)),
);
const file = fc.tuple(fc.boolean(), fc.array(line, { minLength: 1, maxLength: 4 })).map(
  ([merges, lines]) => `x:
  - &one http://192.0.2.3
  - &net 192.0.2.0/24
  - &nets [198.51.100.0/24]
  - &node { endpoint: "http://192.0.2.4", timeoutMs: 7 }
  - &limits { "packetfilter:maxEntries": 7, "packetfilter:forbiddenPrefixes": [203.0.113.0/24] }
config:
${merges ? "  <<: *limits\n" : ""}${lines.map(([key, value]) => `  packetfilter:${key}: ${value}\n`).join("")}`,
);

const seen = { equal: 0, refused: 0 };
async function agree(text: string): Promise<void> {
  const { executor, judge } = await bothReadings(text);
  const isRefused = typeof judge === "object" && judge !== null && "refused" in judge;
  seen[isRefused ? "refused" : "equal"] += 1;
  if (!isRefused) expect({ text, read: judge }).toEqual({ text, read: executor });
}

test.each([
  ["merge keys", 'x: &x { "packetfilter:maxEntries": 7 }\nconfig:\n  <<: *x\n', "equal"],
  ["a key twice", "config:\n  packetfilter:maxEntries: 7\n  packetfilter:maxEntries: 8\n", "refused"],
  ["a node twice", "config:\n  packetfilter:nodes: { fra1: { endpoint: a }, fra1: { endpoint: b } }\n", "refused"],
  ["an octal number", "config:\n  packetfilter:maxEntries: 010\n", "refused"],
  ["an octal number behind a reference", "x: &x 010\nconfig:\n  packetfilter:maxEntries: *x\n", "refused"],
  ["a version of YAML", "%YAML 1.1\n---\nconfig:\n  packetfilter:readOnly: yes\n", "refused"],
  ["a zero with a sign", "config:\n  packetfilter:maxEntries: -0\n", "equal"],
  ["numbers in quotes", 'config:\n  packetfilter:maxEntries: "010"\n', "equal"],
] as const)(
  "%s in a stack's file: commands of this package see what the engine does, or refuse it",
  async (_, text, outcome) => {
    const before = { ...seen };
    if (text.startsWith("%")) head = "";
    await agree(text);
    expect(seen[outcome] - before[outcome]).toBe(1);
  },
);

test("whatever the text of a stack's file, commands of this package see the settings that the engine does, or refuse it", async () => {
  await fc.assert(fc.asyncProperty(file, agree), { numRuns: 60 });
  expect(Math.min(seen.equal, seen.refused)).toBeGreaterThan(10);
}, 300_000);

test("a project in JSON, which the engine prefers to the one in YAML, is refused by commands of this package", async () => {
  const config = { "packetfilter:maxEntries": { value: 3 } };
  await stack.write("Pulumi.json", JSON.stringify({ name: "journey", runtime: "nodejs", config }));
  const text = "config:\n  packetfilter:maxEntries: 7\n";
  const { executor, judge } = await bothReadings(text);
  expect(executor).toMatchObject({ others: [{}, 3] });
  expect(judge).toEqual({
    refused: `Pulumi.json: a project in JSON is not read here: make it Pulumi.yaml. Nothing was changed, since the limits of the stack are not known: correct the file.`,
  });
});
