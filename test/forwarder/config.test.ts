import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { watchedBy } from "../../provider/forwarder/check";
import { LiveConfig } from "../../provider/forwarder/config/config";
import { temporaryFolder } from "./support/forward";

/** Reads the configuration `forwarder.yaml`, or a folder of these files. @returns what `of` makes of it, or its problems. */
async function read<T>(files: string | Readonly<Record<string, string>>, of: (config: LiveConfig) => T, env = {}) {
  using folder = temporaryFolder();
  const isOne = typeof files === "string";
  const path = join(folder.path, isOne ? "forwarder.yaml" : "forwarder.d");
  if (!isOne) mkdirSync(path);
  for (const [name, text] of Object.entries(isOne ? { "": files } : files)) writeFileSync(join(path, name), text);
  return await LiveConfig.ofFile(path, env).then(of, (error: Error) => error.message.split("\n"));
}
const problems = (text: string, env = {}) => read(text, () => [], env) as Promise<string[]>;

const SOUND = `nodes: { fra1: { endpoint: "http://192.0.2.1" } }
watch: [{ arena: edge }]
`;

const BASE = { nodes: { fra1: { endpoint: "http://192.0.2.1" } }, watch: [{ arena: "edge" }] };

describe("every problem has its place", () => {
  test("in what is wrong, and beside a variable that is not set", async () => {
    const text = `nodes:
  fra1: { endpoint: "ftp://192.0.2.10" }
watch:
  - { nodes: [fra9], arena: "a/b", types: [host] }
everyMs: 1000
sinks:
  - { name: web, type: http, url: "\${NOT_SET}" }
  - { name: web, type: carrier-pigeon }
`;
    const [needed, ...others] = await problems(text);
    expect(needed).toBe("forwarder.yaml:7:35: `sinks[0].url` needs the variable NOT_SET, which is not set");
    const all = await problems(text, { NOT_SET: "http://192.0.2.1/" });
    expect(others).toEqual(all);
    expect(all.map((line) => line.replace(/ (must|contains|has|is|names).*/, ""))).toEqual([
      "forwarder.yaml:2:21: `nodes.fra1.endpoint`",
      "forwarder.yaml:4:29: `watch[0].arena`",
      "forwarder.yaml:4:44: `watch[0].types[0]`",
      "forwarder.yaml:5:10: `everyMs`",
      "forwarder.yaml:8:24: `sinks[1].type`",
      "forwarder.yaml:4:15: `watch[0].nodes[0]`",
      "forwarder.yaml:8:13: `sinks[1].name`",
    ]);
  });

  test("in what would read or send nothing, or the same twice", async () => {
    expect(await problems(SOUND)).toEqual(["forwarder.yaml:1:1: `sinks` names none, so that records would go nowhere"]);
    const text = `${SOUND.replace("arena: edge", 'arena: edge, nodes: ["ams*"]')}listen: 9464
sinks:
  - { name: disk, type: file, path: a, only: { nodes: ["b*", "fra*"], arenas: [core] } }
  - { name: other, type: file, path: ./a }
`;
    expect(await problems(text)).toEqual([
      'forwarder.yaml:3:9: `listen.address` must be an address and a port, such as "127.0.0.1:9464"',
      "forwarder.yaml:2:32: `watch[0].nodes[0]` names no node: there are fra1",
      "forwarder.yaml:5:56: `sinks[0].only.nodes[0]` names no node: there are fra1",
      "forwarder.yaml:5:80: `sinks[0].only.arenas[0]` names no arena that is watched: there are edge",
      "forwarder.yaml:6:38: `sinks[1].path` is the file of sinks[0], too",
    ]);
  });

  test.each([
    [{ nodes: ["ams1"] }, [{ nodes: ["fra*"], arena: "edge" }]],
    [{ types: ["conn"] }, [{ arena: "edge", types: ["shost", "dhost"] }]],
    [{ profiles: ["dns"] }, [{ arena: "edge", profiles: ["web*", "mail"] }]],
    [
      { nodes: ["fra1"], arenas: ["core"] },
      [
        { nodes: ["fra1"], arena: "edge" },
        { nodes: ["ams1"], arena: "core" },
      ],
    ],
  ])("in an `only` that no entry of `watch` gives a table: %j of %j", async (only, watch) => {
    const node = { endpoint: "http://192.0.2.1" };
    const config = { nodes: { fra1: node, ams1: node }, watch, ...disk({ only }) };
    await expect(LiveConfig.ofObject(config, {}, ".")).rejects.toThrow(
      "configuration: `sinks[0].only` selects no table: no entry of `watch` has these nodes, arenas, profiles and types together",
    );
    const [entry] = watch;
    const more = {
      ...config,
      watch: [...watch, { ...entry, arena: "core", nodes: ["*"], profiles: ["d*"], types: ["conn"] }],
    };
    await expect(LiveConfig.ofObject(more, {}, ".")).resolves.toBeDefined();
  });

  test("but for a node that no entry of `watch` takes, which --check and the log name", async () => {
    const node = { endpoint: "http://192.0.2.1" };
    const config = { nodes: { fra1: node, ams1: node }, watch: [{ nodes: ["fra*"], arena: "edge" }], ...disk({}) };
    expect(watchedBy(await LiveConfig.ofObject(config, {}, ".")).at(-1)).toBe(
      "Warning: no entry of `watch` takes ams1: nothing is read there.",
    );
  });

  test("in a file of a sink that is a folder", async () => {
    using folder = temporaryFolder();
    await expect(LiveConfig.ofObject({ ...BASE, ...disk({ path: "." }) }, {}, folder.path)).rejects.toThrow(
      /^configuration: `sinks\[0\]\.path` is not a regular file$/,
    );
  });

  test("in a file of two sinks, by whatever path", async () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, "logs"));
    symlinkSync(join(folder.path, "logs"), join(folder.path, "link"));
    const sinks = ["logs/a", join(folder.path, "logs/a"), "link/a", "b"].map((path, n) =>
      disk({ name: `d${n}`, path }),
    );
    const config = { ...BASE, sinks: sinks.flatMap((one) => one.sinks) };
    await expect(LiveConfig.ofObject(config, {}, folder.path)).rejects.toThrow(
      /^configuration: `sinks\[1\]\.path` is the file of sinks\[0\], too\nconfiguration: `sinks\[2\]\.path` is the file of sinks\[0\], too$/,
    );
  });

  test("in unknown members, each at its line, without words of the library", async () => {
    const found = await problems(`${SOUND}every: 3000
sinks:
  - name: web
    type: http
    url: "http://192.0.2.2/"
    tls: { ca: no certificate }
    colour: red
  - { name: disk, type: file, path: a, only: { types: [host] } }
  - { name: 7, type: file, path: [a] }
`);
    expect(found.join("\n")).not.toMatch(/Invalid|expected|received/);
    expect(found.map((line) => line.replace(/ \(there are .*/, ""))).toEqual([
      "forwarder.yaml:8:16: `sinks[0].tls.ca` is not a certificate in PEM: name its file as { file: path }",
      "forwarder.yaml:9:13: `sinks[0]` has no member `colour`",
      "forwarder.yaml:8:10: `sinks[0].tls` is for a url that begins with https://",
      "forwarder.yaml:10:56: `sinks[1].only.types[0]` must be one of shost, dhost, sdhost, conn",
      "forwarder.yaml:11:13: `sinks[2].name` must be a text",
      "forwarder.yaml:11:34: `sinks[2].path` must be a text",
      "forwarder.yaml:3:8: has no member `every`: `everyMs` is likely meant",
    ]);
  });
});

const SASL = { mechanism: "PLAIN", username: "forwarder", password: "s3cret" };
const kafka = (own: object) => ({
  sinks: [{ name: "bus", type: "kafka", brokers: ["192.0.2.40:9092"], topic: "marks", ...own }],
});
const disk = (own: object) => ({ sinks: [{ name: "disk", type: "file", path: "marks.ndjson", ...own }] });
const HOST_AND_PORT = 'must be a host and a port, such as "192.0.2.40:9092"';
const INTEGER = "must be an integer, beyond 2⁵³ as a text";

/** Members beside a sound configuration, and what is said of them; nothing if they are sound. */
const MEMBERS: [members: object, problem?: string][] = [
  [{ everyMs: "5 seconds" }, "`everyMs` must be a number, alone or with ms, s, m, h, d"],
  [{ everyMs: "1s" }, "`everyMs` must not be below 3000, the pace of the node API"],
  [{ reserveBytes: "5s" }, "`reserveBytes` must be a number, alone or with B, kB, MB, GB, TB, KiB, MiB, GiB, TiB"],
  [{ drainMs: "0.5ms" }, "`drainMs` must be a whole number"],
  [disk({ keep: "5s" }), "`sinks[0].keep` must be a number"],
  [disk({ name: ".." }), "`sinks[0].name` begins with a letter, digit or _, and may have these and . -, at most 64"],
  [disk({ batch: { maxRecords: 500, maxBytes: 1_048_576 } })],
  [disk({ batch: { maxRecords: 0 } }), "`sinks[0].batch.maxRecords` must be at least 1"],
  [disk({ batch: { maxBytes: 1 } }), "`sinks[0].batch.maxBytes` must be at least 1024"],
  [disk({ batch: { records: 1 } }), "`sinks[0].batch` has no member `records` (there are maxRecords, maxBytes)"],
  [disk({ only: { ids: [] } }), "`sinks[0].only.ids` must not be empty"],
  [disk({ only: { ids: [1.5] } }), `\`sinks[0].only.ids[0]\` ${INTEGER}`],
  [disk({ only: { values: ["many"] } }), `\`sinks[0].only.values[0]\` ${INTEGER}`],
  [disk({ only: { minLifetime: 0 } }), "`sinks[0].only.minLifetime` must be at least 1"],
  [kafka({ brokers: ["[2001:db8::40]:9092", "kafka.example:9093"], tls: true, sasl: SASL })],
  ...["http", "loki", "otlp"].map((type): [object, string] => [
    { sinks: [{ name: "web", type, url: "http://192.0.2.2/", gzip: true, zstd: true }] },
    "`sinks[0].zstd` goes without `gzip`: keep one",
  ]),
  [kafka({ brokers: [] }), "`sinks[0].brokers` must not be empty"],
  [kafka({ brokers: ["kafka.example"] }), `\`sinks[0].brokers[0]\` ${HOST_AND_PORT}`],
  [kafka({ brokers: ["kafka://kafka.example:9092"] }), `\`sinks[0].brokers[0]\` ${HOST_AND_PORT}`],
  [kafka({ brokers: ["kafka.example:70000"] }), "`sinks[0].brokers[0]` has a port above 65535"],
  [kafka({ topic: "marks of ours" }), "`sinks[0].topic` may have letters, digits, and . _ -, at most 249"],
  [kafka({ topic: ".." }), '`sinks[0].topic` must not be "." or ".."'],
  [
    kafka({ sasl: { ...SASL, mechanism: "GSSAPI" } }),
    "`sinks[0].sasl.mechanism` must be one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512",
  ],
  [kafka({ sasl: { ...SASL, password: undefined } }), "`sinks[0].sasl.password` must be a text"],
  [kafka({ timeoutMs: 0 }), "`sinks[0].timeoutMs` must be at least 1"],
];
const configured = (members: object) =>
  LiveConfig.ofObject(
    { nodes: { fra1: { endpoint: "http://192.0.2.10" } }, watch: [{ arena: "edge" }], ...members },
    {},
    ".",
  );
test.each(MEMBERS)("%j: %s", async (members, problem) => {
  const found = await configured(members).then(
    () => undefined,
    ({ message }: Error) => message,
  );
  expect(found).toBe(problem && `configuration: ${problem}`);
});

test("durations and sizes are numbers, or texts with a unit", async () => {
  const units = await configured({
    everyMs: "5s",
    structureEveryMs: "1.5m",
    snapshotEveryMs: "1 h",
    drainMs: "1.005s",
    reserveBytes: "64MiB",
    spool: { maxBytes: "1.5GiB", maxAgeMs: "7d" },
    ...disk({ rotateBytes: "500kB", batch: { maxBytes: "65536" } }),
  });
  const numbers = await configured({
    everyMs: 5_000,
    structureEveryMs: 90_000,
    snapshotEveryMs: 3_600_000,
    drainMs: 1_005,
    reserveBytes: 67_108_864,
    spool: { maxBytes: 1_610_612_736, maxAgeMs: 604_800_000 },
    ...disk({ rotateBytes: 500_000, batch: { maxBytes: 65_536 } }),
  });
  expect(units.current).toEqual(numbers.current);
});

const PARTS = {
  "10-nodes.yaml": "nodes: { fra1: { endpoint: http://192.0.2.10 } }\nwatch: [{ arena: edge }]\nstate: kept\n",
  "20-more.yml": "nodes: { fra2: { endpoint: http://192.0.2.11 } }\nsinks:\n  - { name: out, type: stdout }\n",
  "30-sinks.yaml": "watch: [{ arena: core }]\nsinks: [{ name: disk, type: file, path: { file: path.txt } }]\n",
  "40-empty.yaml": "# nothing yet\n",
  "path.txt": "marks.ndjson\n",
  "notes.md": "sinks: no",
};
const inFolder = (parts: Readonly<Record<string, string>>) =>
  read(parts, ({ current: { nodes, watch, sinks }, stateFolder }) => ({
    nodes: Object.keys(nodes),
    arenas: watch.map(({ arena }) => arena),
    sinks: sinks.map(({ name }) => name),
    state: stateFolder.split("/").slice(-2),
  }));

test("a configuration may be a folder: its files are joined in the order of their names, and paths begin there", async () => {
  expect(await inFolder(PARTS)).toEqual({
    nodes: ["fra1", "fra2"],
    arenas: ["edge", "core"],
    sinks: ["out", "disk"],
    state: ["forwarder.d", "kept"],
  });
});

test.each<[string, string, string]>([
  ["a member that two files have", "state: other\n", "50.yaml:1:8: `state` stands at 10-nodes.yaml:3:8 already"],
  [
    "a node that two files have",
    "nodes: { fra2: { endpoint: http://192.0.2.12 } }\n",
    "50.yaml:1:16: `nodes.fra2` stands at 20-more.yml:1:16 already",
  ],
  [
    "a mistake in a list that several files make",
    "sinks:\n  - { name: third, type: file }\n",
    "50.yaml:2:5: `sinks[2].path` must be",
  ],
  ["a mistake in a node", "nodes:\n  fra3: { endpoint: 7 }\n", "50.yaml:2:"],
  ["a file that is no YAML", "a: [\n", "50.yaml:2:1: "],
  ["a file that is no object", "[1]\n", "50.yaml:1:1: "],
])("%s is told with its place", async (_, text, words) => {
  expect(`${await inFolder({ ...PARTS, "50.yaml": text })}`).toContain(words);
});

test("a folder without a file of YAML is none", async () => {
  expect(`${await inFolder({ "notes.md": "" })}`).toContain("is a folder without a file of YAML.");
});
