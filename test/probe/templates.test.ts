import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { NodeClient, type NodeOptions } from "../../provider/client";
import { dialect, startEmulator } from "../../provider/emulator";
import { countedText, templateOf } from "../../provider/probe/shapes/template";
import { expectRehearsed } from "./strange";
import { probed, SET, STATE, startNode, TOKEN } from "./support";

afterEach(() => vi.unstubAllEnvs());

/** Lists in texts that no setting describes, and the module that reads them. */
const TEXTS = {
  setTemplate:
    "prefixes: {count}\n{|}<{padded} to {lastPadded}> weight {value}{|} ;\n{|}\nend of {count}\n{|}prefixes: none\n",
  profilesTemplate: "profiles are {|}({name}){|} and {|}.{|}no profiles",
  rulesTemplate: "{|}rule {id} called {name}{|}\n{|}\n{|}no rules",
  marksTemplate: "{|}{address} => {value} by {id} for {lifetime}{|} & {|}{|}no marks",
} as const;
const JSON_OF_EDGE = { "content-type": "application/json", "user-arena": "edge" };
const LISTS = [
  { url: "prefixset://edge/blocked" },
  { url: SET },
  { url: "arena://edge" },
  { url: "profile://edge/web" },
  { url: "mark://edge/web", type: "shost" },
];
const MODULE = `const number = (octets) => octets.split(".").reduce((sum, octet) => sum * 256 + Number(octet), 0);
const all = (body, pattern) => [...body.matchAll(pattern)];
exports.default = (body, kind) => ({
  prefixset: () => all(body, /<([\\d.]+) to ([\\d.]+)> weight (\\d+)/g).map(([, from, to, v]) => ({
    p: from.split(".").map(Number).join(".") + "/" + (32 - Math.log2(number(to) - number(from) + 1)), v: Number(v) })),
  profiles: () => all(body, /\\(([^)]*)\\)/g).map(([, name]) => ({ name })),
  rules: () => all(body, /rule (\\d+) called (.*)/g).map(([, id, name]) => ({ id: Number(id), name })),
  marks: () => all(body, /([\\d.]+) => (\\d+) by (\\d+) for (\\d+)/g).map(([, a, v, id, t]) => ({ a, v: +v, id: +id, t: +t })),
})[kind]();
`;

test("texts that only a module reads are templates of the dialect, and the rehearsal with it is exact", async () => {
  const folder = mkdtempSync(join(tmpdir(), "packetfilter-templates-"));
  try {
    vi.stubEnv("PACKETFILTER_ALLOW_CODE", "1");
    const read = join(folder, "own.cjs");
    writeFileSync(read, MODULE);
    const { web } = STATE.arenas?.edge?.profiles ?? {};
    const marks = [1, 2, 3].map((at) => ({
      address: `203.0.113.${at}`,
      id: 30 + at,
      value: 5 * at,
      lifetime: 100 * at,
    }));
    const rules = [...(web?.rules ?? []), { id: 31, name: "drop" }, { id: 32, name: "log" }];
    const profiles = { web: { rules, marks: { shost: marks } }, clean: { prefixes: ["198.51.100.0/24"] } };
    const state = { ...STATE, arenas: { edge: { ...STATE.arenas?.edge, profiles } } };
    const headers = { authorization: `Bearer ${TOKEN}` };
    await using node = await startNode(TEXTS, { state });
    const textsOf = async ({ endpoint }: { endpoint: string }) => {
      const all = [];
      for (const command of LISTS) {
        const body = JSON.stringify({ cmd: "list", ...command });
        const answer = await fetch(`${endpoint}/fapi`, {
          method: "POST",
          body,
          headers: { ...headers, ...JSON_OF_EDGE },
        });
        all.push(await answer.text());
      }
      return all;
    };
    const texts = await textsOf(node);
    const {
      dialect,
      node: settings,
      findings,
    } = await probed(node, { node: { endpoint: node.endpoint, headers, answers: { read } } });
    expect(findings.find(({ point }) => point === "list-templates")?.found).toBe("observed");
    await using rehearsal = await startEmulator({ state, dialect, auth: { bearer: TOKEN } });
    expect(await textsOf(rehearsal)).toEqual(texts);
    const options: NodeOptions = { endpoint: rehearsal.endpoint, headers, ...settings, markPace: "off" };
    await expectRehearsed({ dialect }, { ...settings, commitCoalesceMs: 0 }, "lists that only a module reads");
    const client = new NodeClient(options);
    expect((await client.listProfiles("edge")).map(({ name }) => name)).toEqual(["web", "clean"]);
    expect((await client.listRules("edge", "web")).map(({ id }) => id)).toEqual([30, 31, 32]);
    expect(await client.listMarks("edge", "web", "shost")).toEqual(marks);
    await client.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const RECORDS = [{ prefix: "192.0.2.0/24" }, { prefix: "198.51.100.0/24" }];

test.each([
  ["a text without braces", "# blocked", "stored"],
  ["braces that hold no word", "{ blocked: }", "{}"],
])("%s is in a template that the emulator reads", (_, head, word) => {
  const setTemplate = templateOf(`${head}\n192.0.2.0/24\n198.51.100.0/24\n`, RECORDS, head);
  const insertText = countedText([3, 5].map((count) => ({ body: `${word} ${count}`, count })));
  expect(setTemplate).toContain(head);
  expect(insertText).toBe(`${word} {count}`);
  expect(dialect({ setTemplate, insertText })).toMatchObject({ setTemplate, insertText });
});

test("a word in braces, in which the emulator would read a field, is in no template", () => {
  expect(templateOf("{blocked}\n192.0.2.0/24\n198.51.100.0/24\n", RECORDS)).toBeUndefined();
  expect(templateOf("192.0.2.0/24\n198.51.100.0/24\n", RECORDS, "{none}")).toBeUndefined();
  expect(countedText([3, 5].map((count) => ({ body: `{stored} ${count}`, count })))).toBeUndefined();
});
