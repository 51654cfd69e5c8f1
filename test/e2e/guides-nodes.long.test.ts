import { cp, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { guide } from "../support/guide";
import { startHealth } from "../support/health";
import { MAKES, type Make } from "../support/makes";
import { blocksOf, root } from "../support/markdown";
import { TestStack, TYPES_ARE_CHECKED } from "./support/stack";
import { BLOCKED, mutations, world } from "./support/world";

/** The line of the guide to many nodes with these words, as it is said of other nodes. */
function said(text: string, nodes: string): string {
  const lines = blocksOf("docs/guides/many-nodes.md").flatMap((block) =>
    block.tag === "words" ? block.text.split("\n") : [],
  );
  return lines.find((line) => line.includes(text))?.replace(/ on n.*?: /, ` on ${nodes}: `) ?? `no line with ${text}`;
}

guide(
  "many-nodes.md",
  "nodes of several makes are filled wave by wave, and what another writer adds at some of them is named",
  async (guide) => {
    const makes = { lab1: "seed:6", fra1: "seed:4", fra2: "seed:34", ams1: "seed:2" } as const;
    const state = { arenas: { edge: { sets: { blocked: {} }, profiles: { web: {} } } } };
    await using lab1 = await startEmulator({ state, dialect: makes.lab1 });
    await using fra1 = await startEmulator({ state, dialect: makes.fra1, auth: { bearer: "node-token" } });
    await using fra2 = await startEmulator({ state, dialect: makes.fra2 });
    await using ams1 = await startEmulator({ state, dialect: makes.ams1 });
    const others = { lab1, fra2, ams1 };
    await using stack = await TestStack.create({ program: "", language: "typescript", env: TYPES_ARE_CHECKED });
    for (const file of ["index.ts", "blocks.yaml"])
      await cp(join(root, "examples/many-nodes", file), join(stack.folder, file));
    await using health = await startHealth();
    const program = await stack.read("index.ts");
    expect(program).toContain("https://health.example/{node}");
    await stack.write("index.ts", program.replace("https://health.example/{node}", health.url));
    guide.at({
      ...stack.place,
      instead: { "https://192.0.2.10": fra1.endpoint, "Bearer …": "Bearer node-token" },
    });
    await guide.next("nodes.fra1.endpoint");
    const members = (name: string, node: object) =>
      Object.entries(node).flatMap(([key, value]) => [
        "--plaintext",
        `packetfilter:nodes.${name}.${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
      ]);
    const make = (name: string): Make => makes[name as keyof typeof makes];
    const settings = [
      ...members("fra1", MAKES[make("fra1")]),
      ...Object.entries(others).flatMap(([name, { endpoint }]) => members(name, { endpoint, ...MAKES[make(name)] })),
    ];
    await stack.must("config", "set-all", "--path", ...settings);
    for (const node of [fra1, fra2]) node.change(BLOCKED, { insert: { "192.0.2.0/24": 1 } });
    const { text } = await stack.must("up", "--yes", "--skip-preview");
    // Each in its own wave.
    for (const node of ["fra1", "fra2"]) expect(text).toContain(said("was already there", node));
    const applied = [lab1, fra1, fra2, ams1].map((node) => node.prefixSet(BLOCKED).applied);
    expect(applied).toEqual([applied[0], applied[0], applied[0], { ...applied[0], "198.51.100.0/24": 2 }]);
    expect(Object.keys(applied[0] ?? {})).toEqual(["192.0.2.0/24", "203.0.113.7/32"]);
    const checked = health.asked();
    // The lab, then half of the nodes, then the last one. Those that held one of the entries before come in their waves.
    expect([checked.slice(0, 1), checked.slice(1, 3).toSorted(), checked.slice(3)]).toEqual([
      ["lab1"],
      ["ams1", "fra1"],
      ["fra2"],
    ]);

    for (const node of [fra1, fra2]) node.change(BLOCKED, { insert: { "203.0.113.0/24": 1 } });
    const drift = await stack.mustFail("preview", "--refresh", "--expect-no-changes");
    expect(drift.text).toContain(said("that the program does not declare", "fra1, fra2"));
  },
);

guide(
  "large-stacks.md",
  "what helps where the engine is the limit changes what it writes, never what the node holds",
  async (guide) => {
    const hosts = (count: number) => `
      import * as pf from "pulumi-packetfilter";
      for (let host = 1; host <= ${count}; host++)
        new pf.PrefixSetEntry("host" + host, { arena: "edge", set: "blocked", prefix: "192.0.2." + host });
    `;
    await using w = await world({ program: "", language: "typescript", env: TYPES_ARE_CHECKED, make: "seed:34" });
    const { emulator, stack } = w;
    const { PULUMI_NODEJS_TRANSPILE_ONLY: _, ...env } = stack.place.env;
    await symlink(join(root, "node_modules/typescript/bin/tsc"), join(stack.folder, "node_modules/.bin/tsc"));
    guide.at({ folder: stack.folder, env });
    const held = () => Object.keys(emulator.prefixSet(BLOCKED).applied).length;
    await stack.write("index.ts", hosts(20));
    await guide.next("--parallel 128");
    expect([held(), mutations(emulator)]).toEqual([20, ["insert 20", "commit"]]);
    await stack.write("index.ts", hosts(21));
    await guide.next("PULUMI_SKIP_CHECKPOINTS");
    await guide.next("PULUMI_DIY_BACKEND_GZIP");
    await stack.write("index.ts", hosts(22));
    await stack.write(
      "tsconfig.json",
      JSON.stringify({ compilerOptions: { strict: true, module: "node16", skipLibCheck: true }, files: ["index.ts"] }),
    );
    await guide.next("npx tsc");
    expect(held()).toBe(22);
    const states = join(stack.folder, ".backend/.pulumi/stacks/journey/test.json.gz");
    expect((await readFile(states)).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
  },
);
