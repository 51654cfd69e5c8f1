import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import { sentIn } from "../../provider/model/entry";
import { readPrefixFile } from "../../provider/prefixes";
import { isExpired } from "../../provider/reconcile/entries";
import { BLOCKED, ENDS, NAMES, type Sickness, startHundred } from "./hundred-nodes";

const FIRST = "203.0.113.7/32";
const block = (prefix: string) => ["block", prefix, "--reason", "r", "--permanent"];

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "packetfilter-hundred-"));
});
afterEach(() => rm(folder, { recursive: true }));

const write = (name: string, text: string) => writeFile(join(folder, name), text);

/** Entries that the file wants, each with the number of nodes at which a command may have brought it. */
function file() {
  const entries = Object.entries(readPrefixFile(join(folder, "blocks.yaml"), { allowEmpty: true }));
  const wanted = entries.filter(([, { expires }]) => !isExpired(expires, Date.now())).map(([prefix]) => prefix);
  const sent = entries.map(([prefix, entry]) => [prefix, (sentIn(entry)?.split(" ").length ?? 2) - 2]);
  return { wanted: wanted.sort(), sent: Object.fromEntries(sent) as Record<string, number> };
}

/** Expects the words of a command that met so many sick nodes. */
function expectEnd(ended: { code: number; out: string; err: string }, sick: number, sickness: Sickness): void {
  const { outcome, by } = ENDS[sickness];
  const left = outcome === "done" ? [] : NAMES.slice(0, sick);
  const done = NAMES.length - left.length;
  const summary =
    left.length > 0 ? `${done} of 100 nodes: done.\n${outcome}: ${left.join(", ")}.\n` : "100 nodes: done.\n";
  expect(ended.out.split("\n").filter((line) => line.endsWith(`${BLOCKED}: done, 1 changed`))).toHaveLength(done);
  expect([ended.code, ended.out]).toEqual([left.length > 0 ? 1 : 0, expect.stringContaining(`\n${summary}`)]);
  const others = ended.err.split("\n").filter((line) => line !== "");
  if (left.length === 0) return void expect(others).toEqual([]);
  if (by === "timeout") expect(others[0]).toBe(`${left.join(", ")}: ${outcome}, no answer within 600 s (--timeout).`);
  // What is the same at all of them is one sentence.
  if (by !== "timeout") {
    const where = sick === 1 ? "Set .* on n1 \\(.*\\): " : `${left.join(", ")}: `;
    const why = by === "answer" ? "HTTP 403" : sick === 1 ? ", 5 tries in " : ", 5 tries\\)";
    expect(others[0]).toMatch(new RegExp(`^${where}list failed .*${why}`));
    expect(others).toHaveLength(by === "answer" ? 2 : 3);
  }
  const last = by === "answer" ? /correct the errors above first\.$/ : new RegExp(`--node ${left.join(",")}( |$)`);
  expect(others.at(-1)).toMatch(last);
}

/** One command at a hundred nodes, of which so many are ill. */
export async function expectDone(sick: number, sickness: Sickness): Promise<void> {
  await using hundred = await startHundred(sick, sickness);
  await write("Pulumi.dev.yaml", hundred.stack);
  await write("blocks.yaml", "{}\n");
  expectEnd(await hundred.operator(block(FIRST), folder), sick, sickness);
  const { outcome } = ENDS[sickness];
  const isDone = ({ isSick }: { isSick: boolean }) => !isSick || outcome === "done";
  const held = hundred.nodes.map((node) => Object.fromEntries(node.held));
  expect(held).toEqual(hundred.nodes.map((node) => (isDone(node) ? { [FIRST]: 1 } : {})));
  const done = hundred.nodes.filter(isDone);
  expect(done.map(({ requests }) => requests)).toEqual(done.map(() => ["list", "insert", "commit", "list"]));
  const known = outcome === "not sent" ? NAMES.length - sick : NAMES.length;
  expect(file()).toEqual({ wanted: [FIRST], sent: { [FIRST]: known } });
}
