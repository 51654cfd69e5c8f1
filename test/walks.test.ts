import { fork } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { NodeClient } from "../provider/client";
import { type Emulator, startEmulator } from "../provider/emulator";

/** The checkout whose `dist` is walked through. `PACKETFILTER_WALKS` names another one, to compare; `PACKETFILTER_WALKS_LIST=1` prints the files. */
const root = resolve(process.env.PACKETFILTER_WALKS ?? join(__dirname, ".."));
const CHILD = join(__dirname, "support", "walks", "child.cjs");

/** The most files of each walk. What needs more says why here, or better, joins what is one thought; what needs less lowers them. */
// A resource: 40 would join what changes for reasons of its own: the steps of a writer, handler with check and state, what a body says with what its lists
// hold, limits of content with limits of removals, events with their sentences. Each pair is a file of 250 lines and more.
// A check looks at what the node holds, so it takes the client and its readers along; of its own it has the look with its sentences, one reader of lists as
// arguments, limits (their words, who sets them, what a set covers in all), what the processes of a deployment tell each other, what a killed run has sent, the
// spellings of the program, and the comparison of program, state and node.
// A create does without the settings of the node, which the check has read. It has the plan, the sums of what a set covers, the notes, the commit with its refusals, the neighbours that a node merges, and
// the report of entries of others that it meets, which it shares with the preview's look.
// A mark, with what runs in the thread of the state: one file makes its line visible; the reading is the client's own, a dozen; the ledger has one a thing that it keeps (store, spool, account of a sink, table,
// baseline), polling one a duty, and delivery one a stage: rows as lines, what is on its way, reading ahead, sending, how full each spool is, what a dead sink keeps.
// A request: two files find the secrets of the emulator in what the journal keeps, in whatever encoding; one sees the connection.
const LIMITS = { check: 73, create: 65, resource: 84, mark: 60, request: 24 };

const COVERAGE = join(__dirname, "support", "walks", "coverage.cjs");

type Steps = Record<string, [file: string, functions: number][]>;

/** Runs a walk in a process of its own; `outside` does what it asks for, here. */
async function walk(
  name: string,
  emulator?: Emulator,
  outside: Record<string, (where: string) => Promise<unknown>> = {},
) {
  const child = fork(CHILD, [name, root, emulator?.endpoint ?? ""], { execArgv: ["--require", COVERAGE] });
  try {
    return await new Promise<Steps>((done, fail) => {
      child.once("exit", (code) => fail(new Error(`the walk ended with ${code}`)));
      child.on("message", async ({ steps, what, where }: { steps?: Steps; what?: string; where?: string }) => {
        if (steps) return done(steps);
        await outside[what ?? ""]?.(where ?? "");
        child.send("done");
      });
    });
  } finally {
    if (child.exitCode === null && child.kill()) await once(child, "exit");
  }
}

/** Numbers of files in each step and in all of them, printed since they are what a newcomer has to read. */
function files(title: string, steps: Steps): Record<string, number> {
  const together = new Set(Object.values(steps).flatMap((step) => step.map(([file]) => file)));
  const counts = {
    ...Object.fromEntries(
      Object.entries(steps).map(([name, step]) => [name, new Set(step.map(([file]) => file)).size]),
    ),
    together: together.size,
  };
  const functions = Object.values(steps)
    .flat()
    .reduce((sum, [, ran]) => sum + ran, 0);
  console.log(
    `${title}: ${Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(", ")} files; ${functions} functions`,
  );
  if (process.env.PACKETFILTER_WALKS_LIST) console.log([...together].sort().join("\n"));
  return counts;
}

beforeAll(async () => {
  const { buildIfStale } = await import("../tools/build.mjs");
  buildIfStale();
}, 60_000);

describe("files of the provider that take part in", () => {
  it.for(["PrefixSet", "PrefixSetEntry"])("check and create of a %s", async (type) => {
    await using emulator = await startEmulator({ state: { arenas: { edge: { sets: { blocked: {} } } } } });
    const { check, create, together } = files(type, await walk(type, emulator));
    expect(emulator.prefixSet("prefixset://edge/blocked").applied).toEqual({ "192.0.2.0/24": 1 });
    expect(check).toBeLessThanOrEqual(LIMITS.check);
    expect(create).toBeLessThanOrEqual(LIMITS.create);
    expect(together).toBeLessThanOrEqual(LIMITS.resource);
  });

  it("a mark on its way from an answer to a sink", async () => {
    const rules = [{ id: 1, actions: [{ hmark: { lifetime: 3_600 } }] }];
    await using emulator = await startEmulator({
      state: { arenas: { edge: { profiles: { web: { prefixes: ["198.51.100.0/24"], rules } } } } },
    });
    const packet = (from: string) => ({ from, to: "198.51.100.7", proto: "tcp" as const, dport: 443 });
    emulator.receive([packet("203.0.113.1")]);
    const steps = await walk("mark", emulator, { mark: async () => emulator.receive([packet("203.0.113.2")]) });
    expect(files("mark", steps).together).toBeLessThanOrEqual(LIMITS.mark);
  });

  it("a request on its way through the emulator", async () => {
    const url = { kind: "prefixset" as const, arena: "edge", set: "blocked" };
    const client = (endpoint: string) => new NodeClient({ endpoint });
    const steps = await walk("emulator", undefined, {
      connect: (where) => client(where).listPrefixSet(url),
      list: (where) => client(where).listPrefixSet(url),
      insert: (where) => client(where).insert(url, [["192.0.2.0/24", 1]]),
      commit: (where) => client(where).commit(url),
    });
    const { list, insert, commit } = files("emulator", steps);
    expect(Math.max(list ?? 0, insert ?? 0, commit ?? 0)).toBeLessThanOrEqual(LIMITS.request);
  });
});
