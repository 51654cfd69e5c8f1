import { readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Interrupted } from "../../provider/commands/interruption";
import { startEmulator } from "../../provider/emulator";
import { RejectedFiles, rejectedFolder } from "../../provider/forwarder/delivery/rejected";
import { RECORD } from "../forwarder/support/forward";
import { useEmptyFolder } from "../support/folder";
import { serveRaw } from "../support/raw-server";
import { helpOfAll, run, type Surroundings } from "./support";

const BLOCKED = "prefixset://edge/blocked";
const HELD = '203.0.113.1/32: { expires: "2020-01-01T00:00:00Z" }\n';
/** Milliseconds: a command that has not ended by then was left. */
const GRACE = 600_000;

const folder = useEmptyFolder();
/** Takes requests, and answers none but that of the test itself. */
let silent: Awaited<ReturnType<typeof serveRaw>>;
let requests: number;
let asked: () => void;
let isAsked: Promise<void>;
beforeEach(async () => {
  isAsked = new Promise((resolve) => {
    asked = resolve;
  });
  requests = 0;
  silent = await serveRaw((request, response) => {
    if (request.url === "/test") return void response.end();
    requests += 1;
    asked();
  });
  const node = `fra1: { endpoint: "${silent.url}" }`;
  const spool = join(folder, "spool");
  await write("blocks.yaml", HELD);
  await write("Pulumi.dev.yaml", `config:\n  packetfilter:nodes: { ${node} }\n`);
  await write("preview.json", JSON.stringify({ config: {}, steps: [update()] }));
  await write(
    "forward.yaml",
    `nodes: { ${node} }\nwatch: [{ arena: edge }]\nstate: ${spool}\nsinks: [{ name: web, type: http, url: "${silent.url}" }]\n`,
  );
  await new RejectedFiles(rejectedFolder(spool, "web"), Date.now).add([{ record: RECORD, reason: "no such field" }]);
});
afterEach(async () => {
  silent[Symbol.dispose]();
});

const write = (name: string, content: string) => writeFile(join(folder, name), content, { mode: 0o600 });

/** A step of a preview. */
function update() {
  const inputs = { arena: "edge", set: "blocked", entries: { "203.0.113.7/32": 1 } };
  const outputs = { endpoint: silent.url };
  const urn = "urn:pulumi:dev::edge::packetfilter:index:PrefixSet::blocked";
  return { op: "update", urn, oldState: { inputs: { ...inputs, entries: {} }, outputs }, newState: { inputs } };
}

/** Standard input that a person has not ended. */
const stdin: AsyncIterable<string> = {
  [Symbol.asyncIterator]: () => ({
    next: () => {
      asked();
      return new Promise(() => {});
    },
  }),
};

/** A program that does not end. */
const execute = () => {
  asked();
  return new Promise<string>(() => {});
};

const FILE = ["--file", "blocks.yaml"];
const NOW = [...FILE, "--now", BLOCKED, "--node", "fra1"];
const WHY = ["--reason", "r", "--for", "2h"];
const receiver = () => ({
  env: {
    PACKETFILTER_SIGNALING_URL: silent.url,
    PACKETFILTER_CLIENT_ID: "client-1",
    PACKETFILTER_SECRET_KEY: "secret-1",
  },
});
const forward = () => ["--config", join(folder, "forward.yaml")];
const control = () => ["--at", silent.url];

type Waiting = readonly [words: () => readonly string[], more?: () => Surroundings];

/** Each command that writes or waits: what it is told, and for whom it waits then. */
const WAITING: Readonly<Record<string, readonly Waiting[]>> = {
  block: [[() => ["203.0.113.7", ...NOW, ...WHY]], [() => ["-", ...FILE, ...WHY], () => ({ stdin })]],
  unblock: [[() => ["203.0.113.1", ...NOW]], [() => ["-", ...FILE], () => ({ stdin })]],
  "block expire": [[() => NOW]],
  list: [[() => [BLOCKED, "--node", "fra1"]], [() => ["--contains", "203.0.113.7"], () => ({ execute })]],
  import: [
    [() => [BLOCKED, "--node", "fra1", "--out", "imported"]],
    [() => ["--signaling", "--out", "imported"], receiver],
  ],
  capture: [[() => ["edge", "--node", "fra1"]]],
  probe: [
    [() => [BLOCKED, "--node", "fra1"]],
    [() => [BLOCKED, "--node", "fra1", "--write"]],
    [() => ["--signaling", "192.0.2.0/24"], receiver],
  ],
  forward: [[() => ["--once", ...forward()]]],
  "forward spool requeue": [[forward]],
  "prefixes check": [[() => ["-"], () => ({ stdin })]],
  "prefixes diff": [[() => ["-", "blocks.yaml"], () => ({ stdin })]],
  report: [[() => ["-"], () => ({ stdin })], [() => ["preview.json", "--marks"]]],
  "emulator reset": [[control]],
  "emulator state": [[control]],
  "emulator snapshot": [[control]],
  "emulator change": [[() => [BLOCKED, "--delete", "192.0.2.0/24", ...control()]]],
  "emulator signal": [[control]],
  "emulator fail": [[() => ["status=503", ...control()]]],
  "emulator clock": [[() => ["--freeze", ...control()]]],
  "emulator dialect": [[control]],
  "emulator journal": [[control]],
  "emulator expect": [[() => ["cmd=commit", ...control()]]],
  "emulator packets": [[() => ["source=203.0.113.7", "destination=198.51.100.1", ...control()]]],
  "emulator marks": [[() => ["profile://edge/web", "shost", ...control()]]],
  "emulator wait": [[control]],
  "emulator stop": [[control]],
};

/** The others, which wait for none and write nothing; services among them, which end well by a signal. */
const NEITHER: Readonly<Record<string, string>> = {
  "": "is help",
  emulator: "is a service",
  "forward spool": "is help",
  "forward spool list": "reads a folder",
  "forward spool export": "reads a folder",
  plugin: "is help",
  "plugin install": "writes into the cache of the CLI, in one step",
  "plugin remove": "removes from it",
  prefixes: "is help",
  "prefixes aggregate": "reads files",
  blocks: "reads a file",
  docs: "prints",
  completion: "prints",
  environment: "prints",
};

test("every command is in the table, or among those that neither write nor wait", async () => {
  const told = [...Object.keys(WAITING), ...Object.keys(NEITHER)];
  expect(told.toSorted()).toEqual([...(await helpOfAll()).keys()].sort());
});

const rows = Object.entries(WAITING).flatMap(([name, all]) =>
  all.map(([words, more], index) => ({ name, index, words, more })),
);

/** Resolves when all that was sent before has come. */
const settled = () => fetch(`${silent.url}/test`).then((response) => response.text());

describe.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s ends", (signal, code) => {
  test.each(rows)("$name ($index), sends nothing more, and leaves the file as it is", async ({ name, words, more }) => {
    const stop = new AbortController();
    const surroundings = { folder, stop: stop.signal, graceMs: GRACE, ...more?.() };
    const ended = run([...name.split(" "), ...words()], surroundings);
    await Promise.race([isAsked, ended]);
    await settled();
    const before = requests;
    stop.abort(new Interrupted(signal));
    expect(await ended).toMatchObject({ code });
    await settled();
    expect(requests - before).toBe(0);
    expect(await readFile(join(folder, "blocks.yaml"), "utf8")).toBe(HELD);
    expect(readdirSync(folder).filter((one) => !BEFORE.includes(one))).toEqual([]);
  });

  test.each([
    ["--clean", ["--clean", "noted.undo"]],
    ["--write", ["--write", "--out", "node.json"]],
  ])("probe %s once it has taken back what was written", async (_, words) => {
    const stop = new AbortController();
    await using node = await startEmulator({
      state: { arenas: { edge: { sets: { blocked: words.includes("--clean") ? { "192.0.2.7/32": 1 } : {} } } } },
      onRequest: ({ cmd }) => {
        if (cmd !== "list" || words.includes("--clean")) stop.abort(new Interrupted(signal));
      },
    });
    const env = { PACKETFILTER_ENDPOINT: node.endpoint };
    const begun = { endpoint: node.endpoint, set: BLOCKED };
    const learnt = { node: {}, receiver: {}, commitDelayMs: 0 };
    const notes = words.includes("--clean") ? [{ begun }, { insert: ["192.0.2.7"] }, { learnt }] : [];
    await write("noted.undo", notes.map((note) => `${JSON.stringify(note)}\n`).join(""));
    const urls = words.includes("--clean") ? [] : [BLOCKED];
    const ended = await run(["probe", ...urls, ...words], { folder, env, stop: stop.signal, graceMs: GRACE });
    expect(ended).toMatchObject({ code });
    expect(node.prefixSet(BLOCKED).applied).toEqual({});
  });
});

/** Files of the folder before. */
const BEFORE = ["Pulumi.dev.yaml", "blocks.yaml", "forward.yaml", "preview.json", "spool"];
