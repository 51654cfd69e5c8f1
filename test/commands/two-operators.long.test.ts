import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { readPrefixFile } from "../../provider/prefixes";
import { isExpired } from "../../provider/reconcile/entries";
import { serveRaw } from "../support/raw-server";

const CLI = join(__dirname, "../../dist/provider/cli.js");
const BLOCKED = "prefixset://edge/blocked";
const [SHARED, FIRST, SECOND, OTHERS] = ["203.0.113.9/32", "203.0.113.1/32", "203.0.113.2/32", "192.0.2.0/24"];
const COMMANDS = ["block", "unblock", "expire"] as const;
type Name = (typeof COMMANDS)[number];

let folder: string;
let healthy: Emulator[];
let silent: Awaited<ReturnType<typeof serveRaw>>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "packetfilter-operators-"));
  const state = { arenas: { edge: { sets: { blocked: { [OTHERS]: 7 } } } } };
  healthy = await Promise.all(["20ms", "5ms..60ms"].map((commitLatency) => startEmulator({ state, commitLatency })));
  silent = await serveRaw(() => {});
});
afterEach(async () => {
  silent[Symbol.dispose]();
  await Promise.all(healthy.map((node) => node.close()));
  await rm(folder, { recursive: true });
});

const PLACES = {
  "one node": () => [healthy[0]?.endpoint ?? ""],
  "several nodes": () => healthy.map(({ endpoint }) => endpoint),
  "several nodes, one of them silent": () => [...healthy.map(({ endpoint }) => endpoint), silent.url],
};

/** An operator's command, as a process of its own. Who waits for a node that is silent presses Ctrl-C once all others have an outcome. */
function operator(name: Name, own: string, endpoints: readonly string[]) {
  const words = {
    block: ["block", own, SHARED, "--reason", "SYN flood", "--for", "2h"],
    unblock: ["unblock", own, SHARED],
    expire: ["block", "expire"],
  }[name];
  const nodes = endpoints.flatMap((endpoint) => ["--endpoint", endpoint]);
  const args = [CLI, ...words, "--file", "blocks.yaml", "--now", BLOCKED, ...nodes, "--timeout", "100s"];
  return async () => {
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
    let [out, err] = ["", ""];
    child.stdout.on("data", (text) => {
      out += text;
      const outcomes = out.split("\n").filter((line) => line.startsWith("http://")).length;
      if (outcomes === healthy.length && endpoints.includes(silent.url)) child.kill("SIGINT");
    });
    child.stderr.on("data", (text) => {
      err += text;
    });
    const [code] = await once(child, "close");
    return { code, err };
  };
}

/** Prepares file and nodes for the operators: entries that are blocked, are to be taken out, or have expired. */
async function before(names: readonly [Name, Name], endpoints: readonly string[]): Promise<void> {
  const entry = (prefix: string, ended: boolean) =>
    `${prefix}: { value: 1, expires: "${ended ? "2020" : "2099"}-01-31T18:00:00Z", sent: ${[1, BLOCKED, ...endpoints].join(" ")} }\n`;
  const found = [
    ...names.flatMap((name, index) =>
      name === "block" ? [] : [entry([FIRST, SECOND][index] ?? "", name === "expire")],
    ),
    ...(names.every((name) => name === "block") ? [] : [entry(SHARED, names.includes("expire"))]),
  ];
  await writeFile(join(folder, "blocks.yaml"), `# ours\n${found.join("")}`);
  const prefixes = found.map((line) => line.slice(0, line.indexOf(": ")));
  for (const node of healthy)
    if (endpoints.includes(node.endpoint))
      node.change(BLOCKED, { insert: Object.fromEntries(prefixes.map((prefix) => [prefix, 1])) });
}

/** Entries that the file wants by now. */
function wanted(): string[] {
  const entries = Object.entries(readPrefixFile(join(folder, "blocks.yaml"), { allowEmpty: true }));
  return entries.flatMap(([prefix, { expires }]) => (isExpired(expires, Date.now()) ? [] : [prefix])).sort();
}

const pairs = COMMANDS.flatMap((first, index) => COMMANDS.slice(index).map((second) => [first, second] as const));

describe.each(Object.entries(PLACES))("of two operators at once, at %s", (_, places) => {
  test.each(pairs)("%s beside %s: each has done its own, and file and nodes say the same", async (...names) => {
    const endpoints = places();
    await before(names, endpoints);
    const operators = names.map((name, index) => operator(name, [FIRST, SECOND][index] ?? "", endpoints));
    const ends = await Promise.all(operators.map((start) => start()));
    const isSilent = endpoints.includes(silent.url);
    for (const [index, { code, err }] of ends.entries()) {
      // The one whose address the other changed on its way says so, and is done when it is run again.
      const isOvertaken =
        /203\.0\.113\.9\/32 .*another writer|list (?:does not show|still shows|shows another value)/.test(err);
      const again = isOvertaken ? await operators[index]?.() : undefined;
      expect((again ?? { code }).code).toBe(isSilent ? 130 : 0);
      if (isSilent) expect(again?.err ?? err).toContain(`${silent.url}: not sent, interrupted before it answered.`);
    }
    const own = [FIRST, SECOND].filter((_, index) => names[index] === "block");
    const file = wanted();
    expect(file.filter((prefix) => prefix !== SHARED)).toEqual(own);
    if (names.every((name) => name === "block")) expect(file).toContain(SHARED);
    if (!names.includes("block")) expect(file).not.toContain(SHARED);
    for (const node of healthy) {
      const isAsked = endpoints.includes(node.endpoint);
      const { [OTHERS]: others, ...held } = node.prefixSet(BLOCKED).applied as Record<string, number>;
      expect([others, Object.keys(held).sort()]).toEqual([7, isAsked ? file : []]);
    }
    expect(readdirSync(folder)).toEqual(["blocks.yaml"]);
  });
});
