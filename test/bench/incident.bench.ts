import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serveRaw } from "../support/raw-server";
import type { Figure } from "./figure";

const CLI = join(process.cwd(), "dist/provider/cli.js");
const NODES = Array.from({ length: 100 }, (_, index) => `n${index + 1}`);
const BLOCKED = "prefixset://edge/blocked";
const HELD = JSON.stringify({ data: [{ p: "203.0.113.7/32", v: 1 }] });

/** Milliseconds without a further request, after which all that are held are answered: one round. */
const QUIET_MS = 300;

/** Seconds from the start of a command to the moment at which each healthy node had the block, and to its end. */
interface Times {
  readonly healthy: readonly number[];
  readonly end: number;
  /** If answers come in rounds: the round of the first call to each healthy node, and the one in which it got the block. */
  readonly called: readonly number[];
  readonly had: readonly number[];
}

/** `block --now` at 100 nodes of which some are silent, beside `curl -m 5` in a loop, which waits for each silent one. */
export async function incidentFigures(): Promise<Figure[]> {
  const loop = await measured(0, curlLoop);
  const loopWithOne = await measured(1, curlLoop);
  const figures: Figure[] = [
    ...rows("curl -m 5 in a loop, 100 nodes, 0 silent", loop, ""),
    ...rows("curl -m 5 in a loop, 100 nodes, 1 silent", loopWithOne, ""),
  ];
  for (const silent of [0, 1, 20, 99]) {
    const times = await measured(silent, block);
    figures.push(...rows(`block --now, 100 nodes, ${silent} silent`, times, `loop with 0 silent: ${last(loop)} s`));
  }
  for (const silent of [0, 1, 20, 99])
    figures.push(...rounds(`block --now, 100 nodes, ${silent} silent`, await measured(silent, block, true)));
  figures.push(...rounds("curl -m 5 in a loop, 100 nodes, 0 silent", await measured(0, curlLoop, true)));
  return figures;
}

/** No clock: how many answers one after the other stand before a node. */
function rounds(name: string, { called, had }: Times): Figure[] {
  return [
    { name: `${name}: last healthy node is called`, value: Math.max(...called), unit: "th round", reference: "" },
    { name: `${name}: last healthy node has it`, value: Math.max(...had), unit: "th round", reference: "" },
  ];
}

function rows(name: string, times: Times, reference: string): Figure[] {
  return [
    { name: `${name}: last healthy node has it`, value: Number(last(times)), unit: "s", reference },
    { name: `${name}: the whole command`, value: times.end, unit: "s", reference: "" },
  ];
}

function last({ healthy }: Times): string {
  return Math.max(...healthy).toFixed(2);
}

/**
 * Starts a command in a folder with a stack of 100 nodes behind one address; the first so many of them are silent.
 *
 * @param isInRounds True: what has come is answered together once nothing more comes.
 */
async function measured(
  silent: number,
  start: (folder: string, url: string) => Promise<{ readonly command: string[]; readonly commitAt: number }>,
  isInRounds = false,
): Promise<Times> {
  const folder = await mkdtemp(join(tmpdir(), "packetfilter-incident-"));
  const asked = new Map<string, number>();
  const healthy: number[] = [];
  const [called, had]: number[][] = [[], []];
  const held: (() => void)[] = [];
  let round = 1;
  let quiet: NodeJS.Timeout | undefined;
  const nextRound = () => {
    round += 1;
    for (const answer of held.splice(0)) answer();
  };
  let commitAt = 0;
  let began = 0;
  const seconds = () => (performance.now() - began) / 1_000;
  using server = await serveRaw((request, response) => {
    const [, name = ""] = (request.url ?? "").split("/");
    const number = (asked.get(name) ?? 0) + 1;
    asked.set(name, number);
    if (NODES.indexOf(name) < silent) return;
    if (number === 1) called?.push(round);
    if (number === commitAt) had?.push(round);
    const answer = () => {
      if (number === commitAt) healthy.push(seconds());
      response.end(number > 3 ? HELD : '{"data":[]}');
    };
    if (!isInRounds) return answer();
    held.push(answer);
    clearTimeout(quiet);
    quiet = setTimeout(nextRound, QUIET_MS);
  });
  const lines = NODES.map((name) => `    ${name}: { endpoint: "${server.url}/${name}" }\n`);
  await writeFile(join(folder, "Pulumi.dev.yaml"), `config:\n  packetfilter:nodes:\n${lines.join("")}`);
  const started = await start(folder, server.url);
  ({ commitAt } = started);
  const [program = "", ...args] = started.command;
  began = performance.now();
  await once(spawn(program, args, { cwd: folder, stdio: "ignore" }), "close");
  const end = seconds();
  const text = await readFile(join(folder, "blocks.yaml"), "utf8").catch(() => "203.0.113.7/32");
  await rm(folder, { recursive: true });
  if (healthy.length !== NODES.length - silent || !text.includes("203.0.113.7/32")) throw new Error("Not all have it.");
  return { healthy, end, called: called ?? [], had: had ?? [] };
}

/** List, insert, commit, list. */
async function block(folder: string) {
  await writeFile(join(folder, "blocks.yaml"), "");
  const words = ["block", "203.0.113.7", "--file", "blocks.yaml", "--reason", "flood", "--permanent"];
  return { command: [process.execPath, CLI, ...words, "--now", BLOCKED, "--all-nodes"], commitAt: 3 };
}

/** Insert and commit. */
async function curlLoop(folder: string, url: string) {
  const request = (command: object) => `curl -s -m 5 -d '${JSON.stringify(command)}' "${url}/$node/fapi" > /dev/null`;
  const insert = request({ cmd: "insert", url: BLOCKED, data: [{ p: "203.0.113.7/32", v: 1 }] });
  const lines = [`for node in ${NODES.join(" ")}; do`, insert, request({ cmd: "commit", url: BLOCKED }), "done", ""];
  await writeFile(join(folder, "loop.sh"), lines.join("\n"));
  return { command: ["bash", "loop.sh"], commitAt: 2 };
}
