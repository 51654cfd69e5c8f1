import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { useEmptyFolder } from "../support/folder";
import { startShapedNode } from "../support/shaped-node";
import { run } from "./support";

let emulator: Emulator;
const folder = useEmptyFolder();
beforeEach(async () => {
  emulator = await startEmulator({
    state: {
      arenas: {
        edge: {
          sets: { blocked: { "192.0.2.0/24": 1, "0.0.0.0/0": 5 } },
          profiles: { web: { sets: { blocked: {} } } },
        },
        "edge-web": { sets: { blocked: { "203.0.113.7/32": 2 } } },
      },
    },
    auth: { bearer: "node-secret" },
  });
});
afterEach(async () => {
  await emulator.close();
});

const command = (...args: string[]) =>
  run(["import", ...args], {
    folder,
    env: { PACKETFILTER_ENDPOINT: emulator.endpoint, PACKETFILTER_HEADERS: '{"authorization":"Bearer node-secret"}' },
  });

test("the program declares the set's entries, the limit for a default route and the protection, and no secret", async () => {
  const made = await command("prefixset://edge/blocked", "--node", "fra1", "--out", "new/imported");
  expect(made).toMatchObject({ code: 0, err: "" });
  expect(made.out).toContain("pulumi import --file new/imported/import.json --yes --generate-code=false\n");
  expect(made.out).toContain("Everything is protected (protect: true): a destroy refuses it");
  const program = await readFile(join(folder, "new/imported/index.ts"), "utf8");
  expect(program).toContain(`\n// prefixset://edge/blocked at ${emulator.endpoint}\n`);
  expect(program).toContain('\n    node: "fra1",\n');
  expect(program).toContain('"0.0.0.0/0": 5,');
  expect(program).toContain("    shortestPrefix: { ipv4: 0 },\n  },\n  { protect: true },\n);\n");
  const file = await readFile(join(folder, "new/imported/import.json"), "utf8");
  expect(file + program + made.out).not.toContain("node-secret");
  expect(JSON.parse(file).resources).toMatchObject([{ name: "edge-blocked", id: "prefixset://edge/blocked" }]);
});

test("the program of a set that covers more than a quarter of a family has the word for it", async () => {
  await emulator.change("prefixset://edge/blocked", {
    insert: { "0.0.0.0/1": 1, "128.0.0.0/1": 1, "2001:db8::/32": 1 },
    delete: ["0.0.0.0/0"],
  });
  expect(await command("prefixset://edge/blocked", "--out", "x")).toMatchObject({ code: 0, err: "" });
  expect(await readFile(join(folder, "x/index.ts"), "utf8")).toContain("    shortestPrefix: { ipv4: 1 },\n");
});

test("with --unprotected neither the program nor the command that it names protects anything", async () => {
  const made = await command("prefixset://edge-web/blocked", "--as", "entries", "--unprotected", "--out", "x");
  expect(made).toMatchObject({ code: 0, err: "" });
  const told = "pulumi import --file x/import.json --yes --generate-code=false --protect=false\n";
  expect(made.out).toContain(told);
  expect(made.out).toContain("Nothing is protected: a destroy removes everything.");
  const program = await readFile(join(folder, "x/index.ts"), "utf8");
  expect(program).toContain(told.replace("x/", ""));
  expect(program.slice(program.indexOf("for ("))).toBe(`for (const [prefix, value] of Object.entries({
  "203.0.113.7/32": 2,
})) {
  new pf.PrefixSetEntry("edge-web-blocked-" + prefix.replace(/:/g, "-"), {
    arena: "edge-web",
    set: "blocked",
    prefix,
    value,
  });
}
`);
});

test("with --native there are resources of the plugin without any program, which the engine makes in the language of the stack", async () => {
  const made = await command("prefixset://edge-web/blocked", "--native", "--out", "my imports");
  expect(made).toMatchObject({ code: 0, err: "" });
  expect(made.out).toContain(
    "Next; the first command prints the program:\n  pulumi import --file 'my imports/import.json' --yes\n",
  );
  expect(await readdir(join(folder, "my imports"))).toEqual(["import.json"]);
  const inputs = { arena: "edge-web", set: "blocked", entries: { "203.0.113.7/32": 2 } };
  const id = "prefixset://edge-web/blocked";
  expect(JSON.parse(await readFile(join(folder, "my imports/import.json"), "utf8"))).toEqual({
    resources: [
      {
        type: "packetfilter:index:PrefixSet",
        name: "edge-web-blocked",
        id,
        inputs,
        // What is imported was there before its resource.
        outputs: { ...inputs, url: id, count: 1, endpoint: emulator.endpoint, existed: ["203.0.113.7/32"] },
      },
    ],
  });
});

test("two sets with one name fail with the way out, which works", async () => {
  const urls = ["prefixset://edge/web/blocked", "prefixset://edge-web/blocked"];
  const failed = await command(...urls, "--out", "imported");
  expect(failed).toEqual({
    code: 2,
    out: "",
    err: 'prefixset://edge/web/blocked and prefixset://edge-web/blocked would both be named "edge-web-blocked": choose another name for one of them, with --name prefixset://edge-web/blocked=NAME.\n',
  });
  expect(await readdir(folder)).toEqual([]);
  expect(await command(...urls, "--name", `${urls[1]}=other`, "--out", "imported")).toMatchObject({ code: 0 });
  const { resources } = JSON.parse(await readFile(join(folder, "imported/import.json"), "utf8"));
  expect(resources.map(({ name }: { name: string }) => name)).toEqual(["edge-web-blocked", "other"]);
});

test("a file that exists is not overwritten, and then nothing is written beside it", async () => {
  await writeFile(join(folder, "edge-blocked.json"), "mine");
  await command("prefixset://edge/blocked", "--out", ".");
  expect((await readdir(folder)).sort()).toEqual(["edge-blocked.json", "import.json", "index.ts"]);
  const asked = emulator.journal.length;
  const again = await command("prefixset://edge/blocked", "--out", ".");
  expect(again).toMatchObject({ code: 1, out: "" });
  expect(again.err).toContain("import.json exists, and is not overwritten");
  expect(emulator.journal).toHaveLength(asked);
  await rm(join(folder, "import.json"));
  expect((await command("prefixset://edge/blocked", "--native", "--out", ".")).code).toBe(0);
  await Promise.all(["import.json", "index.ts"].map((name) => rm(join(folder, name))));
  emulator.change("prefixset://edge/blocked", {
    insert: Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`198.51.100.${index}/32`, 1])),
  });
  const third = await command("prefixset://edge/blocked", "--out", ".");
  expect(third.err).toContain("edge-blocked.json exists, and is not overwritten");
  expect(await readdir(folder)).toEqual(["edge-blocked.json"]);
  expect(await readFile(join(folder, "edge-blocked.json"), "utf8")).toBe("mine");
});

const BLOCKED = "prefixset://edge/blocked";
const named = (name: string) => ["--name", `${BLOCKED}=${name}`];

test.each([
  [["prefixset://edge/nothing", "--out", "x"], 1, "prefixset://edge/nothing"],
  [["prefixset://edge/web/blocked", "--as", "entries", "--out", "x"], 1, "Without --as entries the set itself"],
  [["arena://edge", "--out", "x"], 2, "arena://edge is not a set"],
  [["--out", "x"], 2, "Name at least one set, or give --signaling."],
  [["prefixset://edge/blocked"], 2, "--out"],
  [["prefixset://edge/blocked", "--signaling", "--out", "x"], 2, "--signaling-url"],
  [[BLOCKED, "--name", "prefixset://edge/other=a", "--out", "x"], 2, "is not among what is imported"],
  [[BLOCKED, ...named("a"), ...named("b"), "--out", "x"], 2, "names prefixset://edge/blocked twice"],
  [["prefixset://edge/blocked", "--receiver", "eu", "--out", "x"], 2, "--receiver goes with --signaling."],
  [["--signaling", "--node", "fra1", "--out", "x"], 2, "--node goes with a set."],
] as const)("import %j ends with %d and names what is wrong", async (args, code, text) => {
  const failed = await command(...args);
  expect(failed).toMatchObject({ code, out: "" });
  expect(failed.err).toContain(text);
  expect(await readdir(folder)).toEqual([]);
});

test.each(["import", "../outside", "a/b"])("a name that is no file of its own (%s) writes nothing", async (name) => {
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`192.0.2.${index}/32`, 1]));
  await using node = await startShapedNode({ "prefixset://edge/blocked": many }, {});
  const failed = await run(["import", BLOCKED, ...named(name), "--endpoint", node.endpoint, "--out", "x"], { folder });
  expect([failed.code, failed.err]).toEqual([2, expect.stringContaining("choose another with --name")]);
  expect(await readdir(folder)).toEqual([]);
});

test("a value that no program can declare is named, and nothing is written", async () => {
  await using node = await startShapedNode(
    { "prefixset://edge/blocked": { "192.0.2.0/24": -1, "192.0.2.7/32": 1 } },
    {},
  );
  const failed = await run(["import", "prefixset://edge/blocked", "--endpoint", node.endpoint, "--out", "x"], {
    folder,
  });
  expect(failed.code).toBe(1);
  expect(failed.err).toContain("192.0.2.0/24 (-1)");
  expect(await readdir(folder)).toEqual([]);
});
