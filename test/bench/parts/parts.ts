import { z } from "zod";

/** Profile of a process, as V8 makes it: nodes of a tree of calls, and which of them ran when. */
export const profileSchema = z.object({
  nodes: z.array(
    z.object({
      id: z.number(),
      callFrame: z.object({ functionName: z.string(), url: z.string() }),
      children: z.array(z.number()).optional(),
    }),
  ),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
});
type Profile = z.infer<typeof profileSchema>;
type Frame = Profile["nodes"][number]["callFrame"];

/** Functions of this package by what they do: the innermost one on the stack decides. */
const FUNCTIONS = {
  "reading the node's lists": ["readEntries", "of"],
  "entries of program and state": [
    ...["normaliseEntries", "entries", "notes", "checkArguments", "setProblems", "inputsFor", "withWritten", "plain"],
    ...["sameJson", "hasUnknown", "readInputs", "readState", "writeState", "add"],
  ],
  "comparison and plan": [
    ...["desiredChange", "isUnchanged", "driftOf", "reportDrift", "planUpdate", "planNew", "merge", "refusals"],
    ...["unwantedOf", "difference", "missing", "doneByOthers", "outcomeOf", "protect", "aggregatedIn", "parted"],
  ],
  "keys for other processes, and notes": ["publish", "hashOf", "note", "noted", "noteChanged", "sync", "end"],
  requests: ["stage", "dispatch", "dispatcher", "chunk", "insertEntry", "deleteEntry"],
} as const;

const OURS = /\/dist\/(?:provider|parts|libraries)\//;
const WIRE = /\/(?:@grpc|google-protobuf)\/|\/@pulumi\/pulumi\/proto\//;
const LOADER = /^node:internal\/modules\//;
const PART_OF = new Map<string, string>(
  Object.entries(FUNCTIONS).flatMap(([part, names]) => names.map((name) => [name, part])),
);

/** Parts of the table, in its order. */
export const PARTS = [
  ...["loading this package", ...Object.keys(FUNCTIONS), "all else of this package"],
  ...["messages of the engine", "loading Pulumi's SDK", "collection of garbage", "all else"],
] as const;

/** Milliseconds of the main thread by part; waiting is none. */
export function partsOf({ nodes, samples, timeDeltas }: Profile): Record<string, number> {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const parts: Record<string, number> = Object.fromEntries(PARTS.map((part) => [part, 0]));
  samples.forEach((sample, index) => {
    const stack: Frame[] = [];
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
      const frame = frames.get(id);
      if (frame) stack.push(frame);
    }
    const part = partOfStack(stack);
    if (part !== undefined) parts[part] = (parts[part] ?? 0) + (timeDeltas[index] ?? 0) / 1_000;
  });
  return parts;
}

/** @param stack The innermost frame first. */
function partOfStack(stack: readonly Frame[]): string | undefined {
  const [{ functionName: innermost } = { functionName: "" }] = stack;
  if (innermost === "(idle)") return undefined;
  if (innermost === "(garbage collector)") return "collection of garbage";
  const loads = (frames: readonly (Frame | undefined)[]) => frames.some((frame) => frame && LOADER.test(frame.url));
  const isOurs = ({ url, functionName }: Frame) => OURS.test(url) || functionName === "exports.handler";
  const first = stack.findIndex(isOurs);
  if (first < 0) {
    if (loads(stack)) return "loading Pulumi's SDK";
    return stack.some(({ url }) => WIRE.test(url)) ? "messages of the engine" : "all else";
  }
  // Node calls nothing of ours but modules, which it loads.
  const isModule = stack.some((frame, index) => isOurs(frame) && loads([stack[index + 1]]));
  if (isModule || loads(stack.slice(0, first))) return "loading this package";
  const ours = stack.filter(isOurs);
  const [known] = ours.flatMap(({ functionName }) => PART_OF.get(functionName.replace(/\$\d+$/, "")) ?? []);
  const otherwise = ours.some(({ url }) => url.includes("/libraries/undici")) ? "requests" : "all else of this package";
  return known ?? otherwise;
}
