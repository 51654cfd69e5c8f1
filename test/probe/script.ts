import type { Emulator } from "../../provider/emulator";
import { listenerOf } from "./in-process";
import { SECRET, SET, TOKEN } from "./support";

/** An answer as a client sees it. */
export type Seen = readonly [request: string, status: number, body: string];

const LOCAL = "profile://edge/web";
const MARKS = "mark://edge/web";
const list = (url: string, more: object = {}) => ({ url, cmd: "list", ...more });
const insert = (...entries: (readonly [string, unknown])[]) => ({
  url: SET,
  cmd: "insert",
  data: entries.map(([p, v]) => ({ p, v })),
});
const remove = (...prefixes: string[]) => ({ url: SET, cmd: "delete", data: prefixes.map((a) => ({ a })) });
const commit = { url: `${SET}/`, cmd: "commit" };
const many = (number: number) =>
  insert(...Array.from({ length: number }, (_, at) => [`10.0.${at >> 8}.${at & 255}/32`, 1] as const));

/** Commands to the node: valid ones, and those that some node refuses. */
const NODE: readonly (object | string)[] = [
  list(SET),
  list("prefixset://edge/blocked"),
  list("prefixset://edge/nothing"),
  list("prefixset://nowhere/nothing"),
  list("arena://edge"),
  list("arena://nowhere"),
  list(LOCAL),
  list("profile://edge/clean"),
  list("profile://edge/nothing"),
  list(`${SET}/`),
  `{"url":"${SET}","cmd":"commit","cmd":"list"}`,
  { url: "prefixset://edge/nothing", cmd: "insert", data: [{ p: "192.0.2.0/24", v: 1 }] },
  commit,
  insert(["192.0.2.0/24", 1], ["198.51.100.9/32", 1], ["2001:db8::/48", 5], ["203.0.113.128/25", 3]),
  list(SET),
  commit,
  list(SET),
  insert(["192.0.2.0/24", 2]),
  commit,
  list(SET),
  insert(["192.0.2.7/24", 2]),
  ...[255, 256, 100_000, 100_001, 4_294_967_295].map((value) => insert(["203.0.113.0/24", value])),
  insert(["203.0.113.0/24", -1]),
  insert(["203.0.113.0/24", 4_294_967_296]),
  insert(["198.51.100.0/25", 1], ["not a prefix", 1], ["198.51.100.128/25", 1]),
  commit,
  list(SET),
  remove("10.99.0.0/16"),
  remove("198.51.100.9"),
  remove("192.0.2.0/24"),
  remove("192.0.2.0/24", "192.0.2.0/24"),
  list(SET),
  commit,
  list(SET),
  remove("203.0.112.0/23"),
  commit,
  list(SET),
  many(100),
  many(101),
  many(150),
  commit,
  list(SET),
  { ...insert(["192.0.2.0/24", 1]), padding: "x".repeat(20_000) },
  { url: SET, cmd: "delete" },
  { url: SET, cmd: "fly" },
  { url: "nonsense", cmd: "list" },
  remove("0.0.0.0/0"),
  commit,
  list(SET),
];

/** Sends about sixty requests to an emulator, and writes down what comes back. Everything that is late has its time. */
export async function answersOf(emulator: Emulator): Promise<Seen[]> {
  const seen: Seen[] = [];
  const answered = listenerOf(emulator);
  const send = async (method: "GET" | "POST", path: string, body: unknown, headers: Record<string, string> = {}) => {
    const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
    const head = { ...headers, "content-type": "application/json" };
    const answer = await answered({ method, target: path, headers: head, body: Buffer.from(text) });
    if (!("headers" in answer)) throw new Error("no whole answer came");
    seen.push([`${path.replace(SECRET, "…")} ${text.slice(0, 120)}`, answer.status, answer.body.toString()]);
    emulator.clock.advance(1_000);
  };
  const path = emulator.dialect.redirect === "none" ? "/fapi" : "/redirected/fapi";
  const credentials = { authorization: `Bearer ${TOKEN}` };
  await send("POST", "/fapi", list(SET), credentials);
  await send("POST", path, list(SET));
  await send("POST", path, list(SET), { ...credentials, "content-encoding": "gzip" });
  for (const command of NODE) await send("POST", path, command, credentials);
  for (const type of ["shost", "dhost", "sdhost", "conn"]) {
    const headers: Record<string, string>[] = [{ "user-arena": "edge" }, { "user-arena": "core" }, {}];
    for (const header of headers) {
      emulator.clock.advance(3_000);
      await send("POST", path, list(MARKS, { type }), { ...credentials, ...header });
    }
  }
  const own = (operation: string, secret = SECRET) => `/path/c1/${secret}/${operation}`;
  const start = (...prefixes: string[]) => send("POST", own("start"), { IP_prefix: prefixes });
  const stop = (...prefixes: string[]) => send("POST", own("stop"), { IP_prefix: prefixes });
  const status = () => send("GET", own("status"), undefined);
  await status();
  await send("GET", own("status", "wrong"), undefined);
  await send("POST", own("start", "wrong"), { IP_prefix: ["198.51.100.7/32"] });
  await start("198.51.100.7/32");
  await status();
  await start("198.51.100.7/32", "198.51.100.9/32");
  await status();
  await start("198.51.100.7");
  await start("198.51.100.11");
  await start("198.51.100.0/24");
  await start("192.0.2.1/32");
  await status();
  await stop("198.51.100.7/32");
  await stop("198.51.100.7/32");
  await stop("198.51.100.9/32", "198.51.100.11/32", "198.51.100.0/24");
  await status();
  return seen;
}
