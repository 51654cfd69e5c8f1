import { describe, expect, test } from "vitest";
import { Baseline } from "../../provider/forwarder/reading/baseline";
import { ListRefused } from "../../provider/forwarder/reading/list-refused";
import { takeMark } from "../../provider/forwarder/reading/listed-mark";
import { MarkStream } from "../../provider/forwarder/reading/mark-stream";
import { Reading } from "../../provider/forwarder/reading/reading";
import { EVENTS } from "../../provider/forwarder/record/events";
import { RowWriter } from "../../provider/forwarder/record/rows";
import type { Mark, MarkType } from "../../provider/model/mark";
import { parseJson } from "../../provider/wire/json";
import { readMarkList } from "../../provider/wire/mark-list";

type Taken = [key: string, id: number, value: number, lifetime: number, details: unknown];

/** What the stream hands on when the body arrives in pieces of `size` bytes. */
function streamed(body: string, type: MarkType, size: number): { marks: Taken[]; plain: number; listed: number } {
  const marks: Taken[] = [];
  const stream = new MarkStream(type, (...mark) => void marks.push(mark));
  const bytes = Buffer.from(body);
  for (let at = 0; at < bytes.length; at += size) stream.write(bytes.subarray(at, at + size));
  const listed = stream.end();
  return { marks, plain: stream.plain, listed };
}

/** The same by the package's plain reader. */
function plainly(body: string, type: MarkType): Taken[] {
  const marks: Taken[] = [];
  for (const mark of readMarkList(parseJson(body), type)) takeMark(mark, (...taken) => void marks.push(taken));
  return marks;
}

const BODIES: [name: string, type: MarkType, body: string, plain: number][] = [
  [
    "short keys",
    "shost",
    '{"data":[{"a":"203.0.113.45","id":70001,"v":1234,"t":3600},{"a":"203.0.113.46","id":70002,"v":5,"t":7}]}',
    1,
  ],
  [
    "a bare array with spaces",
    "shost",
    ' [ {"a" : "203.0.113.45", "id" : 1, "v" : 2} , {"a" : "203.0.113.46", "id" : 3, "v" : 4} ]\n',
    1,
  ],
  [
    "five members of a connection",
    "conn",
    '{"data":[{"src":"203.0.113.1","dst":"198.51.100.7","sport":1024,"dport":443,"proto":6,"id":1,"v":2,"t":3,"age":4},{"src":"203.0.113.2","dst":"198.51.100.7","sport":1025,"dport":443,"proto":6,"id":1,"v":2,"t":3,"age":5}]}',
    1,
  ],
  [
    "IPv6 among IPv4",
    "shost",
    '{"data":[{"a":"203.0.113.45","id":1,"v":2},{"a":"2001:DB8:0:0::1","id":1,"v":2},{"a":"203.0.113.46","id":1,"v":2}]}',
    2,
  ],
  [
    "records of other forms",
    "shost",
    '{"data":[{"a":"203.0.113.45","id":1,"v":2},{"id":1,"v":2,"a":"203.0.113.46","status":"expired"},{"a":"203.0.113.47","id":9007199254740993,"v":-2},{"a":"203.0.113.48","id":3,"v":4}]}',
    3,
  ],
  [
    "texts with brackets and escapes",
    "shost",
    '{"data":[{"a":"203.0.113.45","id":1,"v":2,"note":"a \\"]}, \\u00fc"},{"a":"203.0.113.46","id":1,"v":2,"note":"[{"}]}',
    2,
  ],
  [
    "protocols by name",
    "conn",
    '{"data":[{"saddr":"203.0.113.1","daddr":"198.51.100.7","sport":1,"dport":2,"proto":"tcp","id":1,"value":2,"lifetime":3}]}',
    1,
  ],
  [
    "members around the list",
    "dhost",
    '{"status":"ok","total":2,"data":[{"a":"198.51.100.7","v":1},{"a":"198.51.100.8","v":1}],"took":3}',
    1,
  ],
  ["an object keyed by address", "shost", '{"203.0.113.45":{"id":1,"v":2},"203.0.113.46":{"id":1,"v":3}}', 2],
  [
    "a list within another member",
    "shost",
    '{"result":{"items":[{"a":"203.0.113.45","id":1,"v":2},{"a":"203.0.113.46","id":1,"v":2}]}}',
    1,
  ],
  ["an empty list", "shost", '{"data":[]}', 0],
  ["null for an empty list", "shost", '{"data":null}', 0],
];

describe("a list is read while it arrives", () => {
  test.each(BODIES)("%s: cut anywhere, it gives what the plain reader gives", (_, type, body, plain) => {
    const expected = plainly(body, type);
    for (const size of [1, 2, 3, 7, 16, 61, 1_000_000]) {
      expect({ size, ...streamed(body, type, size) }).toEqual({
        size,
        marks: expected,
        plain,
        listed: expected.length,
      });
    }
  });

  test("the form of the records is learned once: of 50 000 marks the plain reader reads one", () => {
    const records = Array.from(
      { length: 50_000 },
      (_, n) => `{"a":"10.0.${n >> 8}.${n & 255}","id":70001,"v":${n},"t":60}`,
    );
    const body = `{"data":[${records.join(",")}]}`;
    const { marks, plain, listed } = streamed(body, "shost", 65_536);
    expect({ plain, listed, last: marks.at(-1) }).toEqual({
      plain: 1,
      listed: 50_000,
      last: ["10.0.195.79", 70001, 49_999, 60, undefined],
    });
  });

  test.each([
    [
      "cut off within a record",
      '{"data":[{"a":"203.0.113.45","v":1},{"a":"203.0',
      "the answer ends within the list, after 1 marks",
    ],
    [
      "cut off between records",
      '{"data":[{"a":"203.0.113.45","v":1}',
      "the answer ends within the list, after 1 marks",
    ],
    ["an element that is no record", '{"data":[{"a":"203.0.113.45","v":1},7]}', "element 1 is no object"],
    [
      "an address that is none",
      '{"data":[{"a":"203.0.113.45","v":1},{"a":"203.0.113.0/24","v":1}]}',
      'element 1: "203.0.113.0/24" is not the address of a mark',
    ],
    ["a total that is larger", '{"data":[{"a":"203.0.113.45","v":1}],"total":2}', '"total" is 2 and 1 are listed'],
    ["a page of several", '{"data":[{"a":"203.0.113.45","v":1}],"next":"x"}', '"next" says that the list goes on'],
    ["nothing", "", "the answer is empty"],
    ["HTML", "<html><title>Bad gateway</title></html>", 'the answer is an HTML page titled "Bad gateway"'],
    ["an object that is no list", '{"hello":"world"}', 'the answer is an object with "hello"'],
    ["{}", "{}", "the answer is an empty object"],
    ["text behind the list", '[{"a":"203.0.113.45","v":1}] and more', 'behind the list stands "and more"'],
  ])("%s is refused with a reason, never taken for a shorter list", (_, body, reason) => {
    for (const size of [1, 1_000]) expect(() => streamed(body, "shost", size)).toThrow(reason);
  });

  test("an error that the node writes is told in its words, beside a list, too", () => {
    expect(() => streamed('{"error":"no such profile"}', "shost", 9)).toThrow(new ListRefused("no such profile"));
    expect(() => streamed('{"data":[{"a":"203.0.113.45","v":1}],"error":"half of it"}', "shost", 9)).toThrow(
      new ListRefused("half of it"),
    );
  });
});

describe("what a reading reports", () => {
  /** Runs lists one after the other, 3 s apart, and answers the events of each as `event key value`. */
  function events(...lists: Partial<Mark>[][]): string[][] {
    const baseline = new Baseline();
    return lists.map((list, index) => {
      const changes = new RowWriter(() => undefined);
      const reading = new Reading({ baseline, changes }, index + 1);
      for (const mark of list)
        takeMark({ address: "203.0.113.45", id: 1, value: 1, ...mark }, (...taken) => reading.take(...taken));
      for (const _ of reading.finish(3_000));
      const rows: [number, string, number, number][] = changes.finish().flatMap(({ rows }) => JSON.parse(rows));
      return rows.map(([event, key, id, value]) => `${EVENTS[event]} ${key} ${id} ${value}`);
    });
  }

  const A = "203.0.113.45";

  test("the first list is all added; the same again is nothing", () => {
    expect(events([{}, { address: "203.0.113.46" }], [{}, { address: "203.0.113.46" }])).toEqual([
      [`added ${A} 1 1`, "added 203.0.113.46 1 1"],
      [],
    ]);
  });

  test("another value, id or status is changed, also beside a lifetime that rose", () => {
    const lists = [
      [{ lifetime: 5 }],
      [{ value: 2, lifetime: 9 }],
      [{ value: 2, id: 7, lifetime: 9 }],
      [{ value: 2, id: 7, status: "hot", lifetime: 9 }],
    ];
    expect(events(...lists)).toEqual([
      [`added ${A} 1 1`],
      [`changed ${A} 1 2`],
      [`changed ${A} 7 2`],
      [`changed ${A} 7 2`],
    ]);
  });

  test("a lifetime that rose is renewed; one that runs down and an age are nothing", () => {
    const lists = [
      [{ lifetime: 60, age: 1 }],
      [{ lifetime: 57, age: 4 }],
      [{ lifetime: 58, age: 7 }],
      [{ lifetime: 55 }],
    ];
    expect(events(...lists)).toEqual([[`added ${A} 1 1`], [], [`renewed ${A} 1 1`], []]);
  });

  test("what vanishes after its lifetime ran out is expired, else gone, with its last id and value", () => {
    expect(events([{ lifetime: 3 }], [])).toEqual([[`added ${A} 1 1`], [`expired ${A} 1 1`]]);
    expect(events([{ lifetime: 60, value: 9 }], [])).toEqual([[`added ${A} 1 9`], [`gone ${A} 1 9`]]);
    expect(events([{}], [])).toEqual([[`added ${A} 1 1`], [`gone ${A} 1 1`]]);
  });

  test("a status that says expired is told once, then silence, until the mark is active again", () => {
    const expired = { status: "expired", lifetime: 0 };
    expect(events([{ lifetime: 9 }], [expired], [expired], [], [{ lifetime: 9 }])).toEqual([
      [`added ${A} 1 1`],
      [`expired ${A} 1 1`],
      [],
      [],
      [`added ${A} 1 1`],
    ]);
    expect(events([{}], [expired], [{ status: "active" }])).toEqual([
      [`added ${A} 1 1`],
      [`expired ${A} 1 1`],
      [`added ${A} 1 1`],
    ]);
  });

  test("marks of one address by two rules are two marks", () => {
    const both = [{ id: 1 }, { id: 2, value: 5 }];
    expect(events(both, both, [both[0] as Mark])).toEqual([
      [`added ${A} 1 1`, `added ${A}@2 2 5`],
      [],
      [`gone ${A}@2 2 5`],
    ]);
  });

  test("counters beyond the integers of a double are compared by their digits", () => {
    const huge = (digits: string) => ({ value: Number(digits), exact: { value: digits } });
    expect(events([huge("18446744073709551614")], [huge("18446744073709551615")])).toEqual([
      [`added ${A} 1 18446744073709552000`],
      [`changed ${A} 1 18446744073709552000`],
    ]);
  });
});
