import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { run } from "../commands/support";
import { useFolder } from "../support/folder";

const EMPTY = JSON.stringify({ steps: [], changeSummary: { same: 3 } });
const BLOCKED = "urn:pulumi:test::shop::pulumi-nodejs:dynamic/packetfilter:PrefixSet::blocked";

const folder = useFolder();

/** A step in which entries come into a set at an address. */
const update = (endpoint: string, members: object, entries: object = { "192.0.2.0/24": 1 }) => {
  const inputs = { arena: "edge", set: "blocked", ...members };
  const oldState = { inputs: { ...inputs, entries: {} }, outputs: { endpoint } };
  return { op: "update", urn: BLOCKED, oldState, newState: { inputs: { ...inputs, entries } } };
};

const report = (text: string, ...args: string[]) => run(["report", ...args], { stdin: Readable.from([text]) });

test("reads standard input without a file, and reports a preview without changes in a line", async () => {
  const line = "<!-- pulumi-packetfilter report: shop -->\n### Packet filter\n\nNo changes.\n";
  expect(await report(EMPTY, "--key", "shop")).toEqual({ code: 0, out: line, err: "" });
  expect((await report(EMPTY, "-", "--output", "text")).out).toBe("No changes.\n");
});

test("what is no preview ends with 1 and a sentence that quotes nothing of it", async () => {
  const wrong = [
    "",
    "words-of-a-secret",
    '{"a": "words-of-a-secret"',
    '{"words-of-a-secret": 1}',
    `${EMPTY}\n${EMPTY}`,
    "[]",
  ];
  const results = await Promise.all(wrong.map((text) => report(text)));
  expect(results.map(({ code, out }) => [code, out])).toEqual(wrong.map(() => [1, ""]));
  for (const { err } of results) expect(err).not.toContain("words-of-a-secret");
  expect(results[0]?.err).toContain("The preview is empty");
  expect(results[1]?.err).toContain("begins with something else");
  expect(results[4]?.err).toContain("goes on behind the object");
});

test("wrong use ends with 2, and nothing is read", async () => {
  const wrong = [
    ["--limit", "0"],
    ["--max-bytes", "65001"],
    ["--max-bytes", "5999"],
    ["--link", "javascript:alert(1)"],
    ["--link", "https://user:words@ci.example.com/"],
    ["--key", " "],
    ["--output", "html"],
    ["--config", "config.json"],
  ];
  for (const args of wrong) expect(await report(EMPTY, ...args), args.join(" ")).toMatchObject({ code: 2, out: "" });
  expect(await run(["report"])).toMatchObject({ code: 2, out: "" });
});

test("a link stands at the end, and nothing in it is markup", async () => {
  const { out } = await report(EMPTY, "--link", "https://ci.example.com/a_b(1)?x=<b>&y=[1]\\#>`|");
  expect(out.split("\n").at(-2)).toMatch(/^\[The whole preview\]\(<https:\/\/ci\.example\.com\/[^<>\\\s]+>\)$/);
});

test("credentials go only to their configured address, and a skipped node is named", async () => {
  const state = {
    arenas: {
      edge: {
        sets: { blocked: {} },
        profiles: { web: { marks: { shost: [{ address: "203.0.113.7", id: 1, value: 1, lifetime: 60 }] } } },
      },
    },
  };
  await using asked = await startEmulator({ state, auth: { bearer: "node-words" } });
  await using other = await startEmulator({ state, auth: { bearer: "node-words" } });
  const entries = { "203.0.113.0/24": 1, "192.0.2.0/24": 1 };
  const config = { "packetfilter:endpoint": asked.endpoint, "packetfilter:headers": "[secret]" };
  await writeFile(
    join(folder, "preview.json"),
    JSON.stringify({
      config,
      steps: [
        update(asked.endpoint, {}, entries),
        update(other.endpoint, { node: { endpoint: other.endpoint, headers: "[secret]" } }, entries),
      ],
    }),
  );
  const env = { PACKETFILTER_HEADERS: '{"authorization":"Bearer node-words"}' };
  const ask = (more: Record<string, string>) =>
    run(["report", "preview.json", "--marks", "--output", "json"], { folder, env: { ...env, ...more } });
  // A preview is data: an address that it alone names gets nothing of the environment.
  const alone = await ask({});
  expect(alone.err).toContain("PACKETFILTER_HEADERS is not sent: only the preview names the address of the node");
  expect([...asked.journal, ...other.journal].map(({ status }) => status)).not.toContain(200);
  const before = [asked.journal.length, other.journal.length];
  const { code, out } = await ask({ PACKETFILTER_ENDPOINT: asked.endpoint });
  expect(code).toBe(0);
  const sets: { endpoint: string; marks: unknown; in: { marked?: number } }[] = JSON.parse(out).sets;
  const at = ({ endpoint }: { endpoint: string }) => sets.find((set) => set.endpoint === endpoint);
  expect(at(asked)).toMatchObject({ marks: { sources: 1 }, in: { marked: 1 } });
  expect(at(other)?.marks).toEqual({ unasked: expect.stringContaining("HTTP 401") });
  expect(out).not.toContain("node-words");
  expect(asked.journal.length - (before[0] ?? 0)).toBe(2);
  expect(other.journal.every(({ status }) => status === 401)).toBe(true);
});

test("the stack in the working folder may name the address that a preview names", async () => {
  await using node = await startEmulator({ auth: { bearer: "node-words" } });
  const own = join(folder, "stack");
  await mkdir(own);
  await writeFile(join(own, "Pulumi.yaml"), "name: shop\nruntime: nodejs\n");
  await writeFile(join(own, "Pulumi.dev.yaml"), `config: { packetfilter:endpoint: "${node.endpoint}" }\n`);
  const config = { "packetfilter:endpoint": node.endpoint };
  await writeFile(
    join(own, "preview.json"),
    JSON.stringify({ config, steps: [update(node.endpoint, { profile: "web" })] }),
  );
  const env = { PACKETFILTER_HEADERS: '{"authorization":"Bearer node-words"}' };
  const { err } = await run(["report", "preview.json", "--marks"], { folder: own, env });
  expect(err).not.toContain("is not sent");
  expect(node.journal.map(({ status }) => status)).not.toContain(401);
});

test("a preview is data: a module that it names is not loaded", async () => {
  const ran = join(folder, "ran");
  await writeFile(
    join(folder, "read.cjs"),
    `require("node:fs").writeFileSync(${JSON.stringify(ran)}, ""); module.exports = () => [];`,
  );
  await using node = await startEmulator();
  const answers = { read: join(folder, "read.cjs") };
  for (const config of [
    { "packetfilter:endpoint": node.endpoint, "packetfilter:node": JSON.stringify({ answers }) },
    { "packetfilter:nodes": { fra1: { endpoint: node.endpoint, answers } } },
  ]) {
    await writeFile(join(folder, "code.json"), JSON.stringify({ config, steps: [update(node.endpoint, {})] }));
    const { code, out } = await run(["report", "code.json", "--marks"], { folder });
    expect([code, out]).toEqual([0, expect.stringContaining("A report runs no code that a change may have brought")]);
  }
  expect([existsSync(ran), node.journal.length]).toEqual([false, 0]);
});

test("what is ours under another type is reported as what it is, whatever its provider text looks like", async () => {
  const step = (name: string, type: string, inputs: object, provider = "pulumi-nodejs") => ({
    op: "create",
    urn: `urn:pulumi:dev::shop::${type}::${name}`,
    newState: { inputs, provider: `urn:pulumi:dev::shop::pulumi:providers:${provider}::own::6ee1b5a7` },
  });
  const set = { arena: "edge", set: "blocked", entries: { "0.0.0.0/0": 1 } };
  const text = String.raw`exports.handler=()=>require("pulumi-\x70acket"+"filter/provider").get("CloudSignaling")`;
  const steps = [
    step("renamed", "pulumi-nodejs:dynamic/other:Thing", set),
    step("odd", "pulumi-nodejs:dynamic:Resource", { __provider: text, prefixes: ["192.0.2.0/24"], note: "x" }),
    step("theirs", "pulumi-nodejs:dynamic:Resource", {
      __provider: "exports.handler=()=>({})",
      prefixes: [],
      region: "eu",
    }),
    step("bucket", "aws:s3/bucket:Bucket", { ...set, set: "partners" }),
    step("list", "aws:ec2/list:List", set, "aws"),
    step("plugin", "packetfilter:index:PrefixSet", { ...set, set: "third" }, "other"),
  ];
  const { sets, signalings, others, warnings } = JSON.parse(
    (await report(JSON.stringify({ steps }), "--output", "json")).out,
  );
  expect([sets.map(({ url }: { url: string }) => url), signalings[0].started, others]).toEqual([
    ["prefixset://edge/blocked", "prefixset://edge/partners", "prefixset://edge/third"],
    ["192.0.2.0/24"],
    { create: 2 },
  ]);
  const foreign = (name: string, kind: string) =>
    expect.stringMatching(new RegExp(`^${name} has the type .* is a ${kind} to its provider`));
  expect(warnings).toEqual([
    foreign("renamed", "PrefixSet"),
    foreign("odd", "CloudSignaling"),
    foreign("bucket", "PrefixSet"),
  ]);
});
