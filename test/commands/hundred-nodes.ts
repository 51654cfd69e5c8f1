import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { main } from "../../provider/commands/program";

export const BLOCKED = "prefixset://edge/blocked";
export const NAMES = Array.from({ length: 100 }, (_, index) => `n${index + 1}`);
const TIMEOUT_MS = 600_000;
/** Nothing listens there, and no other test gets it as a free one. */
const NO_PORT = 1;

/** Illnesses of a node. */
export const SICKNESSES = [
  "silent",
  "slow",
  "refusing",
  "refused by its port",
  "reset",
  "silent after its list",
] as const;
export type Sickness = (typeof SICKNESSES)[number];

/** The end of a command at a node with each illness: it is done, is refused, has tried five times, or its time is over. */
export const ENDS: Readonly<
  Record<Sickness, { readonly outcome: "done" | "not sent" | "unknown"; readonly by: "answer" | "tries" | "timeout" }>
> = {
  silent: { outcome: "not sent", by: "timeout" },
  slow: { outcome: "done", by: "answer" },
  refusing: { outcome: "not sent", by: "answer" },
  "refused by its port": { outcome: "not sent", by: "tries" },
  reset: { outcome: "not sent", by: "tries" },
  "silent after its list": { outcome: "unknown", by: "timeout" },
};

interface Node {
  readonly name: string;
  readonly isSick: boolean;
  readonly held: Map<string, number>;
  readonly staged: Map<string, number | undefined>;
  /** The requests that it got, by their commands, in the order in which they came. */
  readonly requests: string[];
}

/** A request of the node API, as far as these nodes look at it. */
interface Command {
  readonly cmd: string;
  readonly data?: readonly { readonly p?: string; readonly a?: string; readonly v?: number }[];
}

/**
 * A hundred nodes, the first so many of them ill. No list is answered before each node was asked for its first one:
 * a command that waits for some before it asks the others never gets on. Those that are slow answer once all others are done.
 */
export async function startHundred(sick: number, sickness: Sickness) {
  const nodes = NAMES.map(
    (name, index): Node => ({
      name,
      isSick: index < sick,
      held: new Map(),
      staged: new Map(),
      requests: [],
    }),
  );
  const healthy = nodes.filter(({ isSick }) => !isSick);
  const reachable = sickness === "refused by its port" ? healthy : nodes;
  const [first, late]: (() => void)[][] = [[], []];
  const release = (waiting: (() => void)[] | undefined) => {
    for (const go of waiting?.splice(0) ?? []) go();
  };
  const isAsked = () => reachable.every(({ requests }) => requests.length > 0);
  const isOver = () => healthy.every(({ requests }) => requests.includes("commit"));

  function answer(node: Node, { cmd, data = [] }: Command, request: IncomingMessage, response: ServerResponse): void {
    if (node.isSick && sickness === "reset") return void request.socket.destroy();
    if (node.isSick && sickness === "refusing") return void response.writeHead(403).end("no");
    if (node.isSick && (sickness === "silent" || (sickness === "silent after its list" && cmd !== "list"))) return;
    for (const { p, a, v } of data) node.staged.set(p ?? a ?? "", v);
    if (cmd === "commit") {
      for (const [prefix, value] of node.staged) {
        if (value === undefined) node.held.delete(prefix);
        else node.held.set(prefix, value);
      }
      node.staged.clear();
    }
    response.end(JSON.stringify({ data: cmd === "list" ? [...node.held].map(([p, v]) => ({ p, v })) : [] }));
    if (isOver()) release(late);
  }

  const server = createServer(async (request, response) => {
    const node = nodes.find(({ name }) => request.url?.startsWith(`/${name}/`));
    const command = (await json(request)) as Command;
    if (!node) return void response.writeHead(404).end();
    node.requests.push(command.cmd);
    const isFirst = node.requests.length === 1;
    const isLate = node.isSick && sickness === "slow" && isFirst && healthy.length > 0 && !isOver();
    const due = () =>
      isLate ? late?.push(() => answer(node, command, request, response)) : answer(node, command, request, response);
    if (isFirst) first?.push(due);
    else due();
    if (isAsked()) release(first);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  const endpointOf = ({ name, isSick }: Node) =>
    `http://127.0.0.1:${isSick && sickness === "refused by its port" ? NO_PORT : port}/${name}`;
  const lines = nodes.map((node) => `    ${node.name}: { endpoint: "${endpointOf(node)}" }\n`);
  return {
    nodes,
    endpoints: nodes.map(endpointOf),
    /** The file of a stack that has them. */
    stack: `config:\n  packetfilter:nodes:\n${lines.join("")}`,
    /** Runs a command at all of them, whose time is over once it has an outcome of all that answer, and has sent to the others. */
    async operator(words: readonly string[], folder: string) {
      let [out, err] = ["", ""];
      let end = () => {};
      const isStuck = () => {
        const told = out.split("\n").filter((line) => line.includes(`${BLOCKED}: done`)).length;
        const sent = nodes.filter(({ isSick, requests }) => !isSick || requests.length >= 2).length;
        return told === healthy.length && (sickness !== "silent after its list" || sent === nodes.length);
      };
      const io = {
        out: (text: string) => {
          out += text;
        },
        err: (text: string) => {
          err += text;
        },
        every: (ms: number, run: () => void) => {
          if (ms === TIMEOUT_MS) end = run;
          return () => {};
        },
        env: {},
        stop: new AbortController().signal,
        folder,
      };
      const args = ["--file", "blocks.yaml", "--now", BLOCKED, "--all-nodes", "--timeout", `${TIMEOUT_MS / 60_000}m`];
      let isRunning = true;
      const look = () => {
        if (isStuck()) end();
        else if (isRunning) setImmediate(look);
      };
      if (sick > 0 && ENDS[sickness].by === "timeout") look();
      const code = await main([...words, ...args], io).finally(() => {
        isRunning = false;
      });
      return { code, out, err };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
