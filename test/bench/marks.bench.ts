import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { paced } from "../../provider/emulator/http/reply";
import { type MarkAction, MarkStore } from "../../provider/emulator/marks";
import { PacketView } from "../../provider/emulator/packets";
import { RandomIntegers } from "../../provider/emulator/packets/traffic-source";
import { markChunks } from "../emulator-engine/mark-lists";
import { type Figure, median } from "./figure";

const NOW = Date.UTC(2026, 0, 1);
/** 198.18.0.0/15, the block for benchmarks (RFC 2544); a million addresses need a larger one, 10.0.0.0/8. */
const BENCHMARK_BLOCK = (198 << 24) | (18 << 16);
const LARGE_BLOCK = 10 << 24;

/** A store with records by source whose ids, counters and lifetimes are as long as real ones. */
function filled(records: number, block: number, family: 4 | 6 = 4): MarkStore {
  const marks = new MarkStore({ now: () => NOW });
  const random = new RandomIntegers(7);
  const packet = new PacketView();
  packet.family = family;
  for (let index = 0; index < records; index++) {
    packet.source[0] = family === 4 ? block + index : 0x20010db8;
    packet.source[3] = index;
    const id = 70_001 + random.below(9);
    const operand = 1 << random.below(12);
    const lifetime = random.between(60, 3600) * 1000;
    marks.touch({ type: "shost", id, operation: "set", operand, lifetime }, packet, NOW);
  }
  return marks;
}

/** Action of a rule on the record of each packet. */
const HIT: MarkAction = { type: "shost", id: 70_001, operation: "add", operand: 1, lifetime: 3_600_000 };

/** Something that changes one record, so that the next list is made anew. */
function change(marks: MarkStore, block: number): void {
  const packet = new PacketView();
  packet.source[0] = block;
  marks.touch({ type: "shost", id: 70_001, operation: "max", operand: 1 }, packet, NOW);
}

function size(chunks: Iterable<Buffer>): number {
  let bytes = 0;
  for (const chunk of chunks) bytes += chunk.length;
  return bytes;
}

/** From the request to the last byte over loopback. */
async function requested(marks: MarkStore, work: (fetchList: () => Promise<void>) => Promise<void>): Promise<void> {
  const server = createServer(async (_request, response) => {
    for await (const chunk of paced(markChunks(marks))) if (!response.write(chunk)) await once(response, "drain");
    response.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await work(async () => {
    const [response] = (await once(get({ port, host: "127.0.0.1" }), "response")) as [IncomingMessage];
    response.resume();
    await once(response, "end");
  });
  server.close();
}

/** Figures of the mark store: lists of 100 000 and of a million records, memory, writes. */
export async function marksFigures(): Promise<Figure[]> {
  const figures: Figure[] = [];
  const add = (name: string, value: number, unit: string, reference: string) => {
    figures.push({ name, value, unit, reference });
  };
  const marks = filled(100_000, BENCHMARK_BLOCK);
  const list = () => size(markChunks(marks));
  add("100 000 marks: body", list() / 1e6, "MB", "contract: about 4.8 MB");
  const encoding = await median(() => {
    change(marks, BENCHMARK_BLOCK);
    list();
  });
  add("100 000 marks: encoding", encoding, "ms", "goal: 35 ms");
  add("100 000 marks: unchanged since the last list", await median(list), "ms", "");
  await requested(marks, async (fetchList) => {
    const first = await median(() => {
      change(marks, BENCHMARK_BLOCK);
      return fetchList();
    });
    add("100 000 marks: request to last byte", first, "ms", "goal: 60 ms; contract: about 1 100 ms");
    add("100 000 marks: the same, unchanged", await median(fetchList), "ms", "goal: 15 ms");
  });

  const full = filled(2 ** 17, BENCHMARK_BLOCK);
  add("bytes a record, IPv4 by source, full columns", full.bytes / 2 ** 17, "bytes", "");
  const full6 = filled(2 ** 17, BENCHMARK_BLOCK, 6);
  add("bytes a record, IPv6 by source, full columns", full6.bytes / 2 ** 17, "bytes", "");

  const million = filled(1_000_000, LARGE_BLOCK);
  add("1 000 000 marks: memory of the tables", million.bytes / 2 ** 20, "MiB", "");
  add("1 000 000 marks: encoding", await median(() => size(markChunks(million)), { runs: 5 }), "ms", "");
  await requested(million, async (fetchList) => {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    await fetchList();
    delay.enable();
    const before = process.memoryUsage().rss;
    const whole = await median(fetchList, { runs: 5, warmUp: 1 });
    delay.disable();
    add("1 000 000 marks: request to last byte", whole, "ms", "goal: 1 000 ms");
    add("1 000 000 marks: longest stop of the event loop meanwhile", delay.max / 1e6, "ms", "goal: 50 ms");
    add("1 000 000 marks: growth of the process meanwhile", (process.memoryUsage().rss - before) / 2 ** 20, "MiB", "");
  });

  const packet = new PacketView();
  const random = new RandomIntegers(3);
  const writing = await median(() => {
    for (let index = 0; index < 1_000_000; index++) {
      packet.source[0] = LARGE_BLOCK + random.below(1_000_000);
      million.touch(HIT, packet, NOW);
    }
  });
  add("marks made or renewed at random among a million", 1e9 / writing, "a second", "");
  return figures;
}
