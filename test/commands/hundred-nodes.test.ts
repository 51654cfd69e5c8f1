import type { Socket } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Interrupted } from "../../provider/commands/interruption";
import { startEmulator } from "../../provider/emulator";
import { sentIn } from "../../provider/model/entry";
import { readPrefixFile } from "../../provider/prefixes";
import { useEmptyFolder } from "../support/folder";
import { serveRaw } from "../support/raw-server";
import { writeStack } from "./nodes";
import { run } from "./support";

const BLOCKED = "prefixset://edge/blocked";
const NAMES = Array.from({ length: 100 }, (_, index) => `n${index + 1}`);
const WORDS = ["block", "203.0.113.7", "--file", "blocks.yaml", "--create", "--reason", "r", "--permanent"];
const HELD = JSON.stringify({ data: [{ p: "203.0.113.7/32", v: 1 }] });

const folder = useEmptyFolder();

/** Writes a stack of nodes that are all at one address, each with a path of its own. */
const nodesAt = (url: string, names = NAMES) =>
  writeStack(folder, Object.fromEntries(names.map((name) => [name, `${url}/${name}`])));

/** Illnesses of nodes: the outcome of the command there, and the beginning of the one sentence about all of them. */
const ILL = {
  silent: ["not sent", "not sent, no answer within 600 s \\(--timeout\\)\\.\n"],
  "silent after their list": ["unknown", "unknown, no answer within 600 s \\(--timeout\\)\\.\n"],
  resetting: ["not sent", "list failed \\(connection lost, 5 tries"],
  refusing: ["not sent", "list failed .*HTTP 403.*\n.*correct the errors above first\\.\n$"],
} as const;

test.each([
  [0, "silent"],
  [20, "silent"],
  [99, "silent"],
  [20, "silent after their list"],
  [20, "resetting"],
  [20, "refusing"],
] as const)(
  "of a hundred nodes, %i of them %s, all are asked at once, and the others have the block after four requests",
  async (sick, illness) => {
    const [outcome, sentence] = ILL[illness];
    const [left, healthy] = [NAMES.slice(0, sick), NAMES.slice(sick)];
    const requests = new Map<string, number>();
    const first: (() => void)[] = [];
    let out = "";
    let timeIsOver = () => {};
    const done = () => out.split("\n").filter((line) => line.endsWith(`${BLOCKED}: done, 1 changed`));
    const asked = illness === "silent after their list" ? 2 : 1;
    const look = () => {
      // No list is answered before each node was asked: a command that waits for some before it asks the others never gets on.
      if (requests.size === NAMES.length) for (const answer of first.splice(0)) answer();
      if (done().length === healthy.length && left.every((name) => requests.get(name) === asked)) timeIsOver();
    };
    using server = await serveRaw(({ url = "" }, response) => {
      const name = url.split("/")[1] ?? "";
      const number = (requests.get(name) ?? 0) + 1;
      requests.set(name, number);
      const isSick = left.includes(name);
      const answer = () => {
        if (!isSick || (illness === "silent after their list" && number === 1))
          response.end(number < 4 ? '{"data":[]}' : HELD);
        else if (illness === "resetting") response.destroy();
        else if (illness === "refusing") response.writeHead(403).end("no");
      };
      if (number === 1) first.push(answer);
      else answer();
      look();
    });
    await nodesAt(server.url);
    const every = (ms: number, end: () => void) => {
      if (ms === 600_000) timeIsOver = end;
      return () => {};
    };
    const heard = (said: { readonly out: string }) => {
      out = said.out;
      look();
    };
    const words = [...WORDS, "--now", BLOCKED, "--all-nodes", "--timeout", "10m"];
    const { code, err } = await run(words, { folder, every, heard });
    const summary =
      sick > 0 ? `${healthy.length} of 100 nodes: done.\n${outcome}: ${left.join(", ")}.\n` : "100 nodes: done.\n";
    expect([code, done().length, out]).toEqual([
      sick > 0 ? 1 : 0,
      healthy.length,
      expect.stringContaining(`\n${summary}`),
    ]);
    expect(err).toMatch(new RegExp(sick > 0 ? `^${left.join(", ")}: ${sentence}` : "^$"));
    expect(healthy.map((name) => requests.get(name))).toEqual(healthy.map(() => 4));
    // A node that may have it is remembered.
    const places = sentIn(readPrefixFile(join(folder, "blocks.yaml"))["203.0.113.7/32"])
      ?.split(" ")
      .slice(2);
    expect(places).toHaveLength(outcome === "unknown" ? NAMES.length : healthy.length);
  },
);

test("a node that is silent holds one socket, however many sets are named, and a healthy one has them all", async () => {
  const sets = ["blocked", "other", "third"];
  await using healthy = await startEmulator({
    state: { arenas: { edge: { sets: { blocked: {}, other: {}, third: {} } } } },
  });
  const asked: (string | undefined)[] = [];
  using silent = await serveRaw(({ url }) => void asked.push(url));
  const place = (name: string) => [name, name === "n100" ? healthy.endpoint : `${silent.url}/${name}`];
  await writeStack(folder, Object.fromEntries(NAMES.map(place)));
  const stop = new AbortController();
  const heard = ({ out }: { readonly out: string }) => {
    // Those that are silent would be waited for until the time is over.
    if (out.split(": done, 1 changed").length > sets.length) stop.abort(new Interrupted("SIGINT"));
  };
  const now = sets.flatMap((set) => ["--now", `prefixset://edge/${set}`]);
  const words = [...WORDS, ...now, "--all-nodes", "--timeout", "10m"];
  expect(await run(words, { folder, stop: stop.signal, heard })).toMatchObject({ code: 130 });
  for (const set of sets) expect(healthy.prefixSet(`prefixset://edge/${set}`).applied).toEqual({ "203.0.113.7/32": 1 });
  expect(asked).toHaveLength(99);
  expect(new Set(asked).size).toBe(99);
  expect(healthy.journal.map(({ cmd }) => cmd)).toEqual(sets.flatMap(() => ["list", "insert", "commit", "list"]));
});

test("of three hundred nodes no more are connected to than a process may have sockets, and all are done", async () => {
  const asked = new Map<string, number>();
  const sockets = new Set<Socket>();
  let most = 0;
  using server = await serveRaw(({ url = "", socket }, response) => {
    if (!sockets.has(socket)) socket.once("close", () => sockets.delete(socket));
    most = Math.max(most, sockets.add(socket).size);
    const number = (asked.get(url) ?? 0) + 1;
    asked.set(url, number);
    response.end(number < 4 ? '{"data":[]}' : HELD);
  });
  await nodesAt(
    server.url,
    Array.from({ length: 300 }, (_, index) => `n${index}`),
  );
  const ended = await run([...WORDS, "--now", BLOCKED, "--all-nodes", "--timeout", "10m"], { folder });
  expect([ended.code, ended.out]).toEqual([0, expect.stringContaining("\n300 nodes: done.\n")]);
  // 250 by the client; the server may see a connection end a little later.
  expect(most).toBeLessThan(300);
});
