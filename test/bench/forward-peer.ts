import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * The other side of the forwarder's benchmark, in a process of its own so that its work is not measured: any number of nodes
 * (`/nodeN/fapi`), each with one table by source of which a share changes from list to list, and an HTTP sink (`/in`). With a third argument node N answers so many milliseconds times N
 * after it was asked.
 */
const [marks = 0, percent = 0, apartMs = 0] = process.send ? process.argv.slice(2).map(Number) : [];

/** Lists of a node, made beforehand: encoding them is not what is measured. */
const bodies = [0, 1, 2, 3].map((round) => {
  const records: string[] = [];
  for (let n = 0; n < marks; n++) {
    const isChanging = percent > 0 && n % Math.round(100 / percent) === 0;
    const value = isChanging ? 100_000 + round : 1_234;
    records.push(`{"a":"10.${n >> 16}.${(n >> 8) & 255}.${n & 255}","id":${70_001 + (n % 9)},"v":${value},"t":3600}`);
  }
  return Buffer.from(`{"data":[${records.join(",")}]}`);
});

/** Lists that each node was asked for. */
const asked = new Map<string | undefined, number>();

const stats = {
  records: 0,
  /** When each list was answered. */
  answered: [] as number[],
  /** Number of acknowledged records at each time. */
  taken: [] as [at: number, records: number][],
};

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks);
    if (request.url === "/stats") {
      response.end(JSON.stringify(stats));
      return;
    }
    if (request.url === "/in") {
      for (let at = body.indexOf(10); at >= 0; at = body.indexOf(10, at + 1)) stats.records++;
      const { records } = stats;
      response.end(() => {
        stats.taken.push([performance.now(), records]);
      });
      return;
    }
    const { url } = JSON.parse(body.toString()) as { url: string };
    if (url.startsWith("arena:")) return void response.end('{"data":[{"name":"web"}]}');
    if (url.startsWith("profile:")) return void response.end('{"data":[{"id":70001,"name":"syn"}]}');
    const round = asked.get(request.url) ?? 0;
    asked.set(request.url, round + 1);
    const answer = () =>
      response.end(bodies[round % bodies.length], () => {
        stats.answered.push(performance.now());
      });
    if (apartMs === 0) answer();
    else setTimeout(answer, apartMs * Number(/^\/node(\d+)/.exec(request.url ?? "")?.[1]));
  });
});
// The script under comparison works for longer than connections are usually kept.
server.keepAliveTimeout = 0;
server.requestTimeout = 0;
// Compiled with the benchmarks; only the process of its own serves.
if (process.send) server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("disconnect", () => process.exit());
