import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { TestStack } from "../../e2e/support/stack";
import { type Peer, type Session, type Task, WANTED, wantedText } from "./peer";
import type { PeerName, Step, Workload } from "./plan";

const programs = join("test", "bench", "peers", "programs");

/** Commands as in a pipeline that was reviewed before: without a second preview. */
const COMMANDS: Readonly<Record<Step, readonly string[]>> = {
  create: ["up", "--yes", "--skip-preview"],
  nothing: ["up", "--yes", "--skip-preview"],
  change: ["up", "--yes", "--skip-preview"],
  refresh: ["refresh", "--yes", "--skip-preview"],
  destroy: ["destroy", "--yes", "--skip-preview"],
};

/** Which program runs, and what belongs beside it. */
interface Program {
  readonly name: PeerName;
  readonly workloads?: readonly Workload[];
  readonly asksNode: boolean;
  readonly main: (workload: Workload) => string;
  readonly beside?: string;
  /** Entries of one request, for programs that do not decide it themselves. */
  readonly perRequest?: number;
  readonly configured?: boolean;
  readonly oneByOne?: Peer["oneByOne"];
}

/** Those that the Pulumi engine runs, with a file backend and its own settings. */
export const PULUMI_PEERS: readonly Peer[] = [
  peer({ name: "floor", asksNode: false, main: (workload) => `floor-${workload}.js`, beside: "nothing.js" }),
  peer({ name: "ours", asksNode: true, main: (workload) => `ours-${workload}.js`, configured: true }),
  peer({ name: "plugin", asksNode: true, main: (workload) => `plugin-${workload}.js`, configured: true }),
  peer({
    name: "by-hand",
    asksNode: true,
    main: (workload) => `by-hand-${workload}.js`,
    beside: "by-hand.js",
    perRequest: 1,
    oneByOne: (workload, size) => (workload === "set" ? size + 1 : 0),
  }),
  peer({
    name: "in-bulk",
    workloads: ["set"],
    asksNode: true,
    main: () => "by-hand-set.js",
    beside: "by-hand.js",
    perRequest: 1_000,
  }),
];

function peer({ name, workloads = ["set", "entries"], asksNode, oneByOne, ...program }: Program): Peer {
  return { name, workloads, asksNode, oneByOne, prepare: (task) => prepare(task, program) };
}

async function prepare(
  task: Task,
  { main, beside, perRequest, configured }: Omit<Program, "name" | "asksNode">,
): Promise<Session> {
  const config = configured ? { endpoint: task.endpoint } : {};
  const stack = await TestStack.create({ program: "", config });
  // As a user's processes start, without what makes those of the tests cheaper.
  stack.environment({ NODE_OPTIONS: undefined, NODE_COMPILE_CACHE: undefined });
  await stack.write("index.js", await readFile(join(programs, main(task.workload)), "utf8"));
  if (beside !== undefined) await stack.write(beside, await readFile(join(programs, beside), "utf8"));
  return {
    folder: stack.folder,
    want: (entries) => stack.write(WANTED, wantedText(task, entries, perRequest)),
    start: (step, env = {}) => {
      stack.environment(env);
      return stack.start(...COMMANDS[step], "--stack", "test");
    },
    stateBytes: async () => (await stat(join(stack.folder, ".backend/.pulumi/stacks/journey/test.json"))).size,
    sawDrift: (output) => /^\s+[~-] \d+ (updated|deleted)$/m.test(output),
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  };
}
