import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import type { DialectSettings } from "../../provider/emulator/behaviour/dialect";
import { ANSWER_BYTES } from "../../provider/emulator/defaults";
import { send } from "../../provider/emulator/http/reply";
import { MarkStore, type MarkStoreOptions, marksSchema } from "../../provider/emulator/marks";
import { PacketView } from "../../provider/emulator/packets";
import { markChunks, markList } from "./mark-lists";

const MINUTE = 60_000;

function markStore(options: Partial<MarkStoreOptions> = {}) {
  const clock = { time: Date.UTC(2026, 0, 1) };
  const marks = new MarkStore({ now: () => clock.time, ...options });
  const packet = (from: string, to = "198.51.100.7") => {
    return new PacketView().read({ from, to, proto: "tcp", sport: 40_000, dport: 443 });
  };
  /** One packet from `from` that a rule with id 9 counts. */
  const mark = (from: string, lifetime?: number, id = 9) => {
    return marks.touch(
      { type: "shost", id, operation: "add", operand: 1, lifetime: lifetime && lifetime * 1000 },
      packet(from),
      clock.time,
    );
  };
  const listed = (settings: DialectSettings = {}) => JSON.parse(markList(marks, "shost", settings)).data;
  return { clock, marks, packet, mark, listed };
}

describe("a list of marks", () => {
  test("has the short form of the documentation unless asked otherwise", () => {
    const { marks } = markStore();
    marks.import({ shost: [{ address: "203.0.113.45", id: 70001, value: 1234, lifetime: 3600 }] });
    expect(markList(marks)).toBe('{"data":[{"a":"203.0.113.45","id":70001,"v":1234,"t":3600}]}');
  });

  test("has a form of its own for each table, in short and long keys, for both families", () => {
    const { marks } = markStore();
    const key = { source: "2001:db8::1", destination: "2001:db8:0:1::", sourcePort: 53, destinationPort: 4000 };
    marks.import({
      dhost: [{ address: "198.51.100.7", id: 1, value: 4294967295 }],
      sdhost: [{ source: "203.0.113.9", destination: "198.51.100.7", id: 2 }],
      conn: [{ ...key, protocol: "udp", id: 3, value: 0, lifetime: 0.5 }],
    });
    expect(markList(marks, "dhost")).toBe('{"data":[{"a":"198.51.100.7","id":1,"v":4294967295}]}');
    expect(markList(marks, "sdhost", { marksEnvelope: "array" })).toBe(
      '[{"src":"203.0.113.9","dst":"198.51.100.7","id":2,"v":1}]',
    );
    expect(markList(marks, "conn")).toBe(
      '{"data":[{"src":"2001:db8::1","dst":"2001:db8:0:1::","sport":53,"dport":4000,"proto":17,"id":3,"v":0,"t":1}]}',
    );
    expect(
      JSON.parse(markList(marks, "conn", { markKeys: "long", markAge: "shown", markExpired: "shown" })).data,
    ).toEqual([
      {
        saddr: "2001:db8::1",
        daddr: "2001:db8:0:1::",
        sport: 53,
        dport: 4000,
        proto: "udp",
        id: 3,
        value: 0,
        lifetime: 1,
        age: 0,
        status: "active",
      },
    ]);
    expect(markList(marks)).toBe('{"data":[]}');
  });

  test("comes in chunks and with what changed between two of them", async () => {
    const { marks, mark, packet, clock } = markStore();
    for (let index = 0; index < 20_000; index++) mark(`203.0.${index >> 8}.${index & 255}`);
    const chunks = markChunks(marks)[Symbol.iterator]();
    const first = chunks.next().value as Buffer;
    marks.touch({ type: "shost", id: 9, operation: "set", operand: 77 }, packet("203.0.78.31"), clock.time); // the last record
    const rest = [];
    for (let next = chunks.next(); !next.done; next = chunks.next()) rest.push(next.value);
    const data = JSON.parse(Buffer.concat([first, ...rest]).toString()).data;
    expect(rest.length).toBeGreaterThan(1);
    expect(data).toHaveLength(20_000);
    expect(data.at(-1)).toEqual({ a: "203.0.78.31", id: 9, v: 77 });
    expect(JSON.parse(markList(marks)).data).toEqual(data);
  });

  test("lets the event loop turn after every so many bytes", async () => {
    const sequence: (number | "turn")[] = [];
    const half = ANSWER_BYTES.atOnce / 2;
    const response = { writeHead() {}, write: () => true, end() {} } as unknown as ServerResponse;
    const body = [half, half, half, 5].map((length) => Buffer.alloc(length));
    const turn = () => void setImmediate(() => sequence.push("turn"));
    const passing = ({ length }: Buffer) => {
      if (sequence.push(length) === 1) turn();
    };
    await send(response, { status: 200, body }, { passing });
    expect(sequence).toEqual([half, half, "turn", half, 5]);
  });
});

describe("a record", () => {
  test("counts up to the largest value and stays there", () => {
    const { marks, packet, clock } = markStore();
    const touch = (operation: "set" | "add" | "max", operand: number) => {
      return marks.touch({ type: "dhost", id: 1, operation, operand }, packet("203.0.113.45"), clock.time);
    };
    expect([touch("max", 7), touch("max", 3), touch("add", 5), touch("set", 2)]).toEqual([7, 7, 12, 2]);
    expect(touch("add", 2 ** 40)).toBe(2 ** 32 - 1);
  });
});

describe("records as plain data", () => {
  const records = {
    shost: [{ address: "203.0.113.45", id: 70001, value: 12, lifetime: 59.5, age: 0.5 }],
    dhost: [{ address: "2001:db8::7", id: 5, value: 1, age: 0 }],
    sdhost: [{ source: "203.0.113.9", destination: "198.51.100.7", id: 2, value: 3, expiredFor: 4, age: 64 }],
    conn: [
      {
        ...{ source: "203.0.113.9", destination: "198.51.100.7", sourcePort: 65535, destinationPort: 53 },
        ...{ protocol: "udp" as const, id: 2, value: 3, age: 1 },
      },
    ],
  };

  test("survive export and import, at another time and in another store", () => {
    const first = markStore();
    first.marks.import(marksSchema.parse(records));
    expect(first.marks.export()).toEqual(records);
    const second = markStore();
    second.clock.time += 5 * MINUTE;
    second.marks.import(first.marks.export());
    expect(second.marks.export()).toEqual(records);
  });

  test("are refused at the door with the place and the reason", () => {
    const issues = (value: unknown) =>
      marksSchema.safeParse(value).error?.issues.map(({ path, message }) => [path.join("."), message]);
    expect(issues({ shost: [{ address: "203.0.113.0/24", id: 1 }] })).toEqual([
      ["shost.0.address", '"203.0.113.0/24" is a prefix of many addresses: write one address, as in "203.0.113.0".'],
    ]);
    expect(issues({ shost: [{ address: "203.0.113.1" }] })).toEqual([
      ["shost.0.id", expect.stringContaining("expected number")],
    ]);
    const mixed = { source: "203.0.113.1", destination: "2001:db8::1", id: 1 };
    expect(() => markStore().marks.put("sdhost", mixed)).toThrow("the address families differ");
    expect(() => markStore().marks.put("shost", { id: 1 })).toThrow("a record of shost needs `address`");
  });
});
