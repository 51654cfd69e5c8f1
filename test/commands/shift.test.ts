import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { sentIn } from "../../provider/model/entry";
import { readPrefixFile } from "../../provider/prefixes";
import { useNodes } from "./nodes";
import { run, type Surroundings } from "./support";

const BLOCKED = "prefixset://edge/blocked";
const LOCAL = "prefixset://edge/web/blocked";
const NOW = Date.parse("2030-01-31T18:00:00Z");

const holding = (local: Record<string, number>) => ({
  arenas: { edge: { sets: { blocked: { "203.0.113.0/24": 1 } }, profiles: { web: { sets: { blocked: local } } } } },
});
const { folder, nodes, endpoint } = useNodes({
  node1: { state: holding({ "203.0.113.7/32": 5 }), dialect: { trailingSlash: "strict" } },
  node2: { state: holding({}) },
});

const write = (name: string, content: string) => writeFile(join(folder, name), content);
const here = (args: readonly string[], more: Surroundings = {}) => run(args, { folder, now: () => NOW, ...more });
const held = (url = BLOCKED) => nodes.map((node) => node.prefixSet(url).applied);
const entries = () => readPrefixFile(join(folder, "blocks.yaml"), { allowEmpty: true });

describe("list --contains without a set", () => {
  const resource = (name: string, type: string, outputs: object) => ({
    urn: `urn:pulumi:dev::edge::pulumi-nodejs:dynamic/packetfilter:${type}::${name}`,
    type: `pulumi-nodejs:dynamic/packetfilter:${type}`,
    outputs,
  });
  const exported = () =>
    JSON.stringify({
      version: 3,
      deployment: {
        resources: [
          resource("floods", "PrefixSet", {
            url: BLOCKED,
            endpoint: endpoint(0),
            entries: { "203.0.113.0/24": 1 },
            notes: { "203.0.113.0/24": '{"reason":"SYN flood","ticket":"INC-4711"}' },
            ...{ found: ["203.0.113.0/24"], lost: { "203.0.113.0/24": 7 } },
          }),
          resource("web", "PrefixSetEntry", {
            url: LOCAL,
            endpoint: endpoint(0),
            prefix: "203.0.113.7/32",
            reason: "scanner",
          }),
          resource("everywhere", "PrefixSetGroup", {
            url: BLOCKED,
            entries: { "198.51.100.0/24": 1 },
            nodes: { node2: { entries: { "203.0.113.0/24": 1 } } },
            endpoints: { node2: endpoint(1) },
          }),
          // Its entry has expired: no program declares it, though its note is kept.
          resource("expired", "PrefixSet", {
            ...{ url: BLOCKED, endpoint: endpoint(1), entries: {} },
            notes: { "203.0.113.0/24": '{"reason":"over","expires":"2030-01-01T00:00:00Z"}' },
          }),
          // Nothing of this is declared: a refresh found one entry, one has expired, and a failure left one out.
          resource("met", "PrefixSet", {
            ...{ url: BLOCKED, endpoint: endpoint(1), entries: { "203.0.113.0/24": 1 } },
            ...{ found: ["203.0.113.0/24"], adopted: ["203.0.113.0/24"] },
          }),
          ...[{ expired: true }, { absent: true }].map((ended) =>
            resource("ended", "PrefixSetEntry", {
              ...{ url: LOCAL, endpoint: endpoint(0), prefix: "203.0.113.7/32", ...ended },
            }),
          ),
          resource("signaling", "CloudSignaling", { endpoint: "http://192.0.2.1" }),
        ],
      },
    });
  const FOUND = [
    {
      node: "node1",
      set: BLOCKED,
      prefix: "203.0.113.0/24",
      value: 1,
      resource: "floods",
      reason: "SYN flood",
      ticket: "INC-4711",
    },
    { node: "node1", set: LOCAL, prefix: "203.0.113.7/32", value: 5, resource: "web", reason: "scanner" },
    { node: "node2", set: BLOCKED, prefix: "203.0.113.0/24", value: 1, resource: "everywhere" },
  ];
  const list = (...more: string[]) => ["list", "--contains", "203.0.113.7", ...more];

  test("looks into every set that the stack has, and says who wants it there", async () => {
    const asked: unknown[] = [];
    const execute = async (command: string, words: readonly string[], where: string) => {
      asked.push([command, words, where]);
      return exported();
    };
    const ended = await here(list("--output", "json"), { execute });
    expect([ended.code, JSON.parse(ended.out), ended.err]).toEqual([0, FOUND, ""]);
    expect(asked).toEqual([["pulumi", ["stack", "export", "--stack", "dev", "--non-interactive"], folder]]);
    const [only] = FOUND.slice(2);
    const one = await here(list("--output", "json", "--node", "node2"), { execute });
    expect(JSON.parse(one.out)).toEqual([only]);
    const none = await here(["list", "--contains", "198.51.100.1"], { execute });
    expect(none.out).toBe("No entry covers 198.51.100.1/32, in 3 sets of 2 nodes.\n");
  });

  test("takes the state from a file, and sets by name", async () => {
    await write("state.json", exported());
    const ended = await here(list("--state", "state.json", "--output", "csv"));
    expect(ended.out.split("\r\n")).toEqual([
      "node,set,prefix,value,resource,reason,ticket",
      `node1,${BLOCKED},203.0.113.0/24,1,floods,SYN flood,INC-4711`,
      `node1,${LOCAL},203.0.113.7/32,5,web,scanner,`,
      `node2,${BLOCKED},203.0.113.0/24,1,everywhere,,`,
      "",
    ]);
    const named = await here(["list", BLOCKED, LOCAL, "--contains", "203.0.113.7", "--all-nodes"]);
    expect(named.out).toContain(`3 entries cover 203.0.113.7/32, in 4 sets of 2 nodes.`);
  });

  test("knows its resources whatever their types are, and takes those of other packages for none", async () => {
    const under = (type: string, provider: string, set: string) => ({
      urn: `urn:pulumi:dev::edge::${type}::${set}`,
      type,
      provider: `urn:pulumi:dev::edge::pulumi:providers:${provider}::own::6ee1b5a7`,
      outputs: { url: `prefixset://edge/${set}`, endpoint: endpoint(0), arena: "edge", set, entries: {} },
    });
    const resources = [
      under("aws:s3/bucket:Bucket", "pulumi-nodejs", "blocked"),
      under("other:index:PrefixSet", "other", "theirs"),
    ];
    await write("state.json", JSON.stringify({ deployment: { resources } }));
    const ended = await here(list("--state", "state.json"));
    expect([ended.code, ended.out]).toEqual([0, expect.stringContaining("in 1 set of 2 nodes")]);
    await write("deep.json", `{"deployment":{"resources":[]},"more":${"[".repeat(300)}${"]".repeat(300)}}`);
    expect((await here(list("--state", "deep.json"))).err).toContain("is not the output of");
  });

  test("looks at the unnamed node of the stack as well, and names a set at an address that no node has", async () => {
    const unnamed = endpoint(1);
    await write(
      "Pulumi.dev.yaml",
      `config:\n  packetfilter:endpoint: ${unnamed}\n  packetfilter:nodes: { node1: { endpoint: "${endpoint(0)}" } }\n`,
    );
    const found = FOUND.map((one) => ({ ...one, node: one.node === "node2" ? unnamed : one.node }));
    await write("state.json", exported());
    const ended = await here(list("--state", "state.json", "--output", "json"));
    expect([ended.code, JSON.parse(ended.out), ended.err]).toEqual([0, found, ""]);
    await write("state.json", exported().replaceAll(unnamed, "http://192.0.2.1"));
    const elsewhere = await here(list("--state", "state.json", "--output", "json"));
    expect([elsewhere.code, JSON.parse(elsewhere.out), elsewhere.err]).toEqual([
      1,
      found.slice(0, 2),
      `${BLOCKED} on http://192.0.2.1: no node of the stack has this address, and the set was not searched. Name it with --endpoint.\n`,
    ]);
    const one = await here(list("--state", "state.json", "--node", "node1"));
    expect([one.code, one.err]).toEqual([0, ""]);
    const named = await here(list("--state", "state.json", "--node", "node1", "--endpoint", unnamed));
    expect([named.code, named.err]).toEqual([
      1,
      `${unnamed}: the stack has no set there, and none was searched. Name one, such as prefixset://edge/blocked.\n`,
    ]);
    await write("state.json", exported());
    const all = await here(list("--state", "state.json", "--all-nodes", "--output", "json"));
    expect([all.code, JSON.parse(all.out), all.err]).toEqual([0, found, ""]);
  });

  test.each([
    [{ url: { secret: "…" }, endpoint: "http://192.0.2.1" }],
    [{ url: BLOCKED, endpoint: { secret: "…" } }],
    [{ url: BLOCKED, endpoints: { node1: { secret: "…" } } }],
  ])("names a resource of which the state has no readable set and address: %j", async (outputs) => {
    const state = JSON.parse(exported());
    state.deployment.resources.push(resource("hidden", "PrefixSet", outputs));
    await write("state.json", JSON.stringify(state));
    const ended = await here(list("--state", "state.json", "--output", "json"));
    expect([ended.code, JSON.parse(ended.out), ended.err]).toEqual([
      1,
      FOUND,
      expect.stringMatching(/^PrefixSet hidden: the state has no readable set and address of it/),
    ]);
    expect((await here([...list("--state", "state.json", "--node", "node1"), BLOCKED])).code).toBe(0);
  });

  test("says what failed, shows the rest and ends with 1", async () => {
    await write("state.json", exported());
    nodes[1]?.fail({ cmd: "list", status: 401, times: 9 });
    const ended = await here(list("--state", "state.json", "--output", "json"));
    expect([ended.code, JSON.parse(ended.out)]).toEqual([1, FOUND.slice(0, 2)]);
    expect(ended.err).toContain("node2");
  });

  test.each([
    [
      "no stack's state",
      {},
      2,
      "Nodes have no list of their sets, and there is no stack here that has one. Name the sets",
    ],
    [
      "no Pulumi",
      { execute: () => Promise.reject(new Error("spawn pulumi ENOENT\nmore")) },
      1,
      '"pulumi stack export" failed: spawn pulumi ENOENT. Name the sets',
    ],
  ])("without a set and with %s it says what to give", async (_, more, code, sentence) => {
    const ended = await here(list(), more);
    expect([ended.code, ended.err]).toEqual([code, expect.stringContaining(sentence)]);
  });
});

describe("blocks", () => {
  beforeEach(() =>
    write(
      "blocks.yaml",
      `198.51.100.0/24: 1
203.0.113.7: { value: 2, reason: scanner, expires: "2030-02-01T19:30:00Z" }
203.0.113.0/24: { reason: SYN flood, ticket: INC-4711, expires: "2030-01-31T19:59:30Z" }
192.0.2.1: { expires: "2030-01-31T17:00:00Z" }
`,
    ),
  );

  test("shows reason, ticket and time left, what ends first before the others", async () => {
    expect(await here(["blocks", "--file", "blocks.yaml"])).toEqual({
      code: 0,
      out: `prefix           value  reason     ticket    expires               left
192.0.2.1/32         1                       2030-01-31T17:00:00Z  expired
203.0.113.0/24       1  SYN flood  INC-4711  2030-01-31T19:59:30Z  1h 59m
203.0.113.7/32       2  scanner              2030-02-01T19:30:00Z  1d 1h
198.51.100.0/24      1                                             for good

4 entries of 4, 1 has expired, at 2030-01-31T18:00:00Z.
`,
      err: "",
    });
  });

  test("shows what ends soon, and what covers an address", async () => {
    const prefixes = async (...more: string[]) => {
      const ended = await here(["blocks", "--file", "blocks.yaml", "--output", "json", ...more]);
      return JSON.parse(ended.out).map(({ prefix }: { prefix: string }) => prefix);
    };
    expect(await prefixes("--soon", "24h")).toEqual(["192.0.2.1/32", "203.0.113.0/24"]);
    expect(await prefixes("--contains", "203.0.113.7")).toEqual(["203.0.113.0/24", "203.0.113.7/32"]);
  });

  test.each([
    [["blocks"], 2, "Missing: --file <file>."],
    [["blocks", "--file", "bloks.yaml"], 2, "bloks.yaml: there is no such file."],
    [["blocks", "--file", "blocks.yaml", "--soon", "a day"], 2, '--soon "a day" is not a time span'],
  ])("%j is told", async (args, code, sentence) => {
    const ended = await here(args);
    expect([ended.code, ended.err]).toEqual([code, expect.stringContaining(sentence)]);
  });
});

describe("block expire --now", () => {
  const FILE = ["--file", "blocks.yaml"];
  const block = (prefix: string, span: string, ...more: string[]) =>
    here(["block", prefix, "--create", ...FILE, "--reason", "r", "--for", span, "--now", BLOCKED, ...more]);
  const later = (args: readonly string[]) => here(args, { now: () => NOW + 7_200_000 });

  test("removes what has expired where the file remembers it, and from the file; the rest stays", async () => {
    await block("198.51.100.1", "1h", "--all-nodes");
    await block("198.51.100.2", "1h", "--node", "node2");
    await block("198.51.100.3", "9h", "--node", "node2");
    nodes[0]?.change(BLOCKED, { insert: { "198.51.100.2/32": 1 } });
    const ended = await later(["block", "expire", ...FILE, "--now"]);
    expect(ended).toMatchObject({ code: 0, err: "" });
    expect(ended.out).toContain("blocks.yaml: 198.51.100.1/32, 198.51.100.2/32, whose time is over, are taken out.");
    expect(held()).toEqual([
      { "203.0.113.0/24": 1, "198.51.100.2/32": 1 },
      { "203.0.113.0/24": 1, "198.51.100.3/32": 1 },
    ]);
    expect(Object.keys(entries())).toEqual(["198.51.100.3/32"]);
    expect((await later(["block", "expire", ...FILE, "--now"])).out).toBe("blocks.yaml: nothing in it has expired.\n");
  });

  test("with a set it removes there what the file has, and leaves another writer's value", async () => {
    await write(
      "blocks.yaml",
      '203.0.113.0/24: { expires: "2030-01-31T17:00:00Z" }\n198.51.100.9: { expires: "2030-01-31T17:00:00Z" }\n',
    );
    nodes[1]?.change(BLOCKED, { insert: { "198.51.100.9/32": 7 } });
    const ended = await here(["block", "expire", ...FILE, "--now", BLOCKED, "--node", "node2"]);
    expect([ended.code, ended.err]).toEqual([
      1,
      expect.stringContaining("198.51.100.9/32 (value 7, in the file 1) was left"),
    ]);
    expect(held()[1]).toEqual({ "198.51.100.9/32": 7 });
  });

  test("what a node that fails still has stays in the file, and the next call finishes it and no more", async () => {
    await block("198.51.100.1", "1h", "--all-nodes");
    await block("198.51.100.2", "1h", "--node", "node1");
    nodes[1]?.change(BLOCKED, { insert: { "198.51.100.2/32": 1 } });
    nodes[1]?.fail({ cmd: "list", kind: "reset", times: 99 });
    const ended = await later(["block", "expire", ...FILE, "--now", "--timeout", "1s"]);
    expect(ended.code).toBe(1);
    const finish = "block expire --file blocks.yaml --now --node node2 --timeout 1s";
    expect(ended.err).toContain(`\n  pulumi-packetfilter ${finish}\n`);
    expect(sentIn(entries()["198.51.100.1/32"])).toBe(`1 ${BLOCKED} ${endpoint(1)}`);
    nodes[1]?.clearFaults();
    expect((await later(finish.split(" "))).code).toBe(0);
    expect([held()[1], entries()]).toEqual([{ "203.0.113.0/24": 1, "198.51.100.2/32": 1 }, {}]);
  });

  test("an entry that a failed node of a named set may hold stays in the file, though it was never sent, until the next call", async () => {
    await write("blocks.yaml", '203.0.113.0/24: { expires: "2030-01-31T17:00:00Z" }\n');
    nodes[1]?.fail({ cmd: "list", kind: "reset", times: 99 });
    const expire = ["block", "expire", ...FILE, "--now", BLOCKED, "--all-nodes", "--timeout", "1s"];
    const ended = await here(expire);
    expect([ended.code, held(), Object.keys(entries())]).toEqual([
      1,
      [{}, { "203.0.113.0/24": 1 }],
      ["203.0.113.0/24"],
    ]);
    expect(ended.out).toContain("203.0.113.0/24, whose time is over, stays in it until it is gone from every set");
    nodes[1]?.clearFaults();
    expect((await here(expire)).code).toBe(0);
    expect([held(), entries()]).toEqual([[{}, {}], {}]);
  });

  test("without a set it reaches the unnamed node of the stack as well", async () => {
    await block("198.51.100.1", "1h", "--all-nodes");
    await write(
      "Pulumi.dev.yaml",
      `config:\n  packetfilter:endpoint: ${endpoint(1)}\n  packetfilter:nodes: { node1: { endpoint: "${endpoint(0)}" } }\n`,
    );
    nodes[1]?.fail({ cmd: "list", kind: "reset", times: 99 });
    const finish = "block expire --file blocks.yaml --now --timeout 1s";
    const open = await later(finish.split(" "));
    expect([open.code, open.err]).toEqual([1, expect.stringContaining(`\n  pulumi-packetfilter ${finish}\n`)]);
    nodes[1]?.clearFaults();
    expect(await later(finish.split(" "))).toMatchObject({ code: 0, err: "" });
    expect([held(), entries()]).toEqual([[{ "203.0.113.0/24": 1 }, { "203.0.113.0/24": 1 }], {}]);
  });

  test.each([
    ["--now", "--now", BLOCKED],
    ["--now", BLOCKED, "--now"],
  ])("a --now for every set beside one for a named set is refused: %s %s %s", async (...now) => {
    await block("198.51.100.1", "1h", "--all-nodes");
    const [nodesBefore, fileBefore] = [held(), entries()];
    expect(await later(["block", "expire", ...FILE, ...now])).toEqual({
      code: 2,
      out: "",
      err: "--now is given with a set and without: name the sets, or give it alone for every set that the file records.\n",
    });
    expect([held(), entries()]).toEqual([nodesBefore, fileBefore]);
  });

  test("without --now it says that an up removes it, and an address that no node has is named", async () => {
    expect(await here(["block", "expire", "--file", "blocks.yaml"])).toMatchObject({ code: 2, out: "" });
    await write(
      "blocks.yaml",
      `198.51.100.9: { expires: "2030-01-31T17:00:00Z", sent: "1 ${BLOCKED} http://192.0.2.1" }\n`,
    );
    const ended = await here(["block", "expire", ...FILE, "--now"]);
    expect([ended.code, ended.err]).toEqual([1, expect.stringContaining(`${BLOCKED} on http://192.0.2.1: no node`)]);
    expect(Object.keys(entries())).toEqual(["198.51.100.9/32"]);
  });
});

test("everything that is missing is said at once", async () => {
  expect(await here(["block"])).toEqual({
    code: 2,
    out: "",
    err: "Missing: <prefix...>, --file <file>, --reason <text>. Give one of --for 2h, --until 2030-01-31T18:00:00Z, and --permanent. Nothing was changed.\n",
  });
  expect((await here(["unblock"])).err).toBe("Missing: <prefix...>, --file <file>. Nothing was changed.\n");
});
