import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LiveConfig } from "../../provider/forwarder/config/config";
import { temporaryFolder } from "./support/forward";

const PARTS = {
  "10-nodes.yaml": "nodes: { fra1: { endpoint: http://192.0.2.10 } }\nwatch: [{ arena: edge }]\nstate: kept\n",
  "20-more.yml": "nodes: { fra2: { endpoint: http://192.0.2.11 } }\nsinks:\n  - { name: out, type: stdout }\n",
  "30-sinks.yaml": "watch: [{ arena: core }]\nsinks: [{ name: disk, type: file, path: { file: path.txt } }]\n",
  "40-empty.yaml": "# nothing yet\n",
  "path.txt": "marks.ndjson\n",
  "notes.md": "sinks: no",
};

/** Configuration of a folder of these files, or the error. */
async function read(parts: Readonly<Record<string, string>>) {
  using folder = temporaryFolder();
  const path = join(folder.path, "forwarder.d");
  mkdirSync(path);
  for (const [name, text] of Object.entries(parts)) writeFileSync(join(path, name), text);
  try {
    const config = await LiveConfig.ofFile(path, {});
    const { nodes, watch, sinks } = config.current;
    const arenas = watch.map(({ arena }) => arena);
    const state = config.stateFolder.slice(folder.path.length + 1);
    return { nodes: Object.keys(nodes), arenas, sinks: sinks.map(({ name }) => name), state };
  } catch (error) {
    return (error as Error).message;
  }
}

test("a configuration may be a folder: its files are joined in the order of their names, and paths begin there", async () => {
  expect(await read(PARTS)).toEqual({
    nodes: ["fra1", "fra2"],
    arenas: ["edge", "core"],
    sinks: ["out", "disk"],
    state: "forwarder.d/kept",
  });
});

test.each<[string, Readonly<Record<string, string>>, string]>([
  [
    "a member that two files have",
    { ...PARTS, "50.yaml": "state: other\n" },
    "50.yaml:1:8: `state` stands at 10-nodes.yaml:3:8 already",
  ],
  [
    "a node that two files have",
    { ...PARTS, "50.yaml": "nodes: { fra2: { endpoint: http://192.0.2.12 } }\n" },
    "50.yaml:1:16: `nodes.fra2` stands at 20-more.yml:1:16 already",
  ],
  [
    "a mistake in a list that several files make",
    { ...PARTS, "50.yaml": "sinks:\n  - { name: third, type: file }\n" },
    "50.yaml:2:5: `sinks[2].path` must be",
  ],
  ["a mistake in a node", { ...PARTS, "50.yaml": "nodes:\n  fra3: { endpoint: 7 }\n" }, "50.yaml:2:"],
  ["a file that is no YAML", { ...PARTS, "50.yaml": "a: [\n" }, "50.yaml:2:1: "],
  ["a file that is no object", { ...PARTS, "50.yaml": "[1]\n" }, "50.yaml:1:1: "],
  ["no file", { "notes.md": "" }, "is a folder without a file of YAML."],
])("%s is told with its place", async (_, parts, words) => {
  expect(await read(parts)).toContain(words);
});
