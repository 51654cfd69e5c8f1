import { describe, expect, test } from "vitest";
import { NodeClient, type NodeOptions } from "../../provider/client";
import { NodeMemories } from "../../provider/client/world";
import { Baseline } from "../../provider/forwarder/reading/baseline";
import { Reading } from "../../provider/forwarder/reading/comparison";
import type { ForwardRecord } from "../../provider/forwarder/record/record";
import { EVENTS, RowWriter } from "../../provider/forwarder/record/rows";
import type { Mark, MarkType } from "../../provider/model/mark";
import { serve, type TestServer } from "../client/support";
import { forwardOnce, temporaryFolder } from "./support/forward";

/** A node of profile `web` that answers every list of marks with one body. */
interface Shape {
  readonly type: MarkType;
  readonly body: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly options?: Omit<NodeOptions, "endpoint">;
}

/** Serves each shape as a node of its own, under its position. */
function serveShapes(shapes: readonly Shape[]): Promise<TestServer> {
  return serve(({ path, body }, response) => {
    const { url } = JSON.parse(body);
    if (url === "arena://edge") response.end('[{"name":"web"}]');
    else if (url === "profile://edge/web") response.end("[]");
    else {
      const { status = 200, headers = {}, body: list } = shapes[Number(path.split("/")[1])] ?? {};
      response.writeHead(status, headers).end(list);
    }
  });
}

const nodeOf = (server: TestServer, shape: Shape, index: number): NodeOptions => ({
  endpoint: `${server.url}/${index}`,
  ...shape.options,
});

/** Marks that the client reads, or its error. */
async function clientReads(server: TestServer, shape: Shape, index: number): Promise<object[] | string> {
  const world = { memories: new NodeMemories(), maxTries: 1 };
  const client = new NodeClient(nodeOf(server, shape, index), world, `n${index}`);
  try {
    const marks = await client.listMarks("edge", "web", shape.type);
    return marks.map(({ exact, ...mark }) => ({ ...mark, ...exact }));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await client.close();
  }
}

/** Marks that a forwarder reports as seen on each node, and its log. */
async function forwarderReads(server: TestServer, shapes: readonly Shape[]) {
  using folder = temporaryFolder();
  const marks: object[][] = shapes.map(() => []);
  const onRecord = (record: ForwardRecord): void => {
    const { timestamp, node, arena, profile, type, event, epoch, sequence, recordId, message, ...mark } = record;
    marks[Number(node.slice(1))]?.push(mark);
  };
  const config = {
    nodes: Object.fromEntries(shapes.map((shape, index) => [`n${index}`, nodeOf(server, shape, index)])),
    watch: shapes.map(({ type }, index) => ({ nodes: [`n${index}`], arena: "edge", profiles: ["web"], types: [type] })),
    records: "all" as const,
    state: folder.path,
  };
  const { told } = await forwardOnce(config, folder.path, { onRecord });
  return { marks, told };
}

/** Forms of tables; `contract/node-shapes.test.ts` has those of answers, which the client reads for the forwarder. */
const TABLES: Shape[] = [
  { type: "conn", body: '[{"src":"203.0.113.1","dst":"198.51.100.7","sport":1,"dport":443,"proto":6,"v":2,"age":4}]' },
  {
    type: "conn",
    body: '[{"saddr":"203.0.113.1","daddr":"198.51.100.7","sport":1,"dport":2,"proto":"tcp","value":2}]',
  },
  { type: "sdhost", body: '[{"src":"203.0.113.1","dst":"2001:DB8::7","id":1,"v":2,"status":"expired"}]' },
  { type: "dhost", body: '[{"a":"198.51.100.7","v":1},{"a":"2001:DB8:0:0::1","v":2,"note":"a \\"]}, \\u00fc"}]' },
  {
    type: "shost",
    body: '[{"a":"203.0.113.45","id":9007199254740993,"v":18446744073709551615,"t":5},{"a":"203.0.113.46","id":1,"v":-2}]',
  },
  { type: "shost", body: '{"data":null}' },
];

const PART = '[{"a":"203.0.113.45","v":1}]';
/** Answers that are no whole list, by their status, headers and settings, too. */
const REFUSED: [reason: string, shape: Omit<Shape, "type">][] = [
  ["the answer is not JSON", { body: '{"data":[{"a":"203.0.113.45","v":1},{"a":"203.0' }],
  ['"203.0.113.0/24" is not the address of a mark', { body: '[{"a":"203.0.113.45"},{"a":"203.0.113.0/24"}]' }],
  ['"total" is 2 and 1 are listed', { body: '{"data":[{"a":"203.0.113.45","v":1}],"total":2}' }],
  ["no such profile", { body: '{"error":"no such profile"}' }],
  ["Describe it by answers.names.", { body: '[{"host":"203.0.113.45","zone":3}]' }],
  ["the status 206 says that this is a part of the list", { body: PART, status: 206 }],
  ["the header Content-Range says", { body: PART, headers: { "content-range": "items 0-0/2" } }],
  [
    "the header X-Rest says that the list continues",
    { body: PART, headers: { "x-rest": "1" }, options: { answers: { more: { header: "X-Rest" } } } },
  ],
];

describe("a list is read as the client reads it", () => {
  test("every table gives the same marks through forwarder and client", async () => {
    await using server = await serveShapes(TABLES);
    const byClient = await Promise.all(TABLES.map((shape, index) => clientReads(server, shape, index)));
    const { marks, told } = await forwarderReads(server, TABLES);
    expect([marks, told]).toEqual([byClient, []]);
    expect(marks[4]).toEqual([
      { address: "203.0.113.45", id: "9007199254740993", value: "18446744073709551615", lifetime: 5 },
      { address: "203.0.113.46", id: 1, value: -2 },
    ]);
  });

  test("what is no whole list is refused by both for one reason, and nothing of it stays", async () => {
    const shapes = REFUSED.map(([, shape]): Shape => ({ type: "shost", ...shape }));
    await using server = await serveShapes(shapes);
    const { marks, told } = await forwarderReads(server, shapes);
    expect(marks).toEqual(shapes.map(() => []));
    const lines = shapes.map((_, index) => told.find((line) => line.includes(` on n${index} `)));
    const byClient = await Promise.all(shapes.map((shape, index) => clientReads(server, shape, index)));
    const reasons = REFUSED.map(([reason]) => expect.stringContaining(reason));
    expect([lines, byClient]).toEqual([reasons, reasons]);
  });

  test("half a surrogate pair in the name of a protocol is replaced, and keeps no mark of the list away", async () => {
    const body = String.raw`[{"src":"203.0.113.1","proto":"a\ud800\ud83d\ude00"},{"src":"203.0.113.2","proto":"tcp"}]`;
    await using server = await serveShapes([{ type: "conn", body }]);
    const { marks, told } = await forwarderReads(server, [{ type: "conn", body }]);
    expect(told).toEqual([]);
    expect(marks).toEqual([
      [
        { source: "203.0.113.1", protocol: "a\ufffd\u{1f600}" },
        { source: "203.0.113.2", protocol: "tcp" },
      ],
    ]);
  });

  test("a list beyond a limit of its node is an error that names node, table and setting", async () => {
    const body = '[{"a":"203.0.113.45","v":1},{"a":"203.0.113.46","v":1},{"a":"203.0.113.47","v":1}]';
    const limits: NonNullable<Shape["options"]>[] = [
      { maxAnswerBytes: body.length, maxListRecords: 3 },
      { maxAnswerBytes: body.length - 1 },
      { maxListRecords: 2 },
    ];
    const shapes = limits.map((options): Shape => ({ type: "shost", body, options }));
    await using server = await serveShapes(shapes);
    const { marks, told } = await forwarderReads(server, shapes);
    expect(marks.map(({ length }) => length)).toEqual([3, 0, 0]);
    const subject = (index: number) => `warn Marks (shost) of mark://edge/web on n${index} (${server.host}/${index}): `;
    expect(told.toSorted()).toEqual([
      `${subject(1)}the answer is larger than ${body.length - 1} bytes, which \`maxAnswerBytes\` allows.`,
      `${subject(2)}the list has 3 records, and \`maxListRecords\` allows 2; none of it is taken over. Raise it if so many are expected.`,
    ]);
  });
});

describe("what a reading reports", () => {
  /** Runs lists one after the other, 3 s apart, and answers the events of each as `event key value`. */
  function events(...lists: Partial<Mark>[][]): string[][] {
    const baseline = new Baseline();
    return lists.map((list, index) => {
      const changes = new RowWriter(() => undefined);
      const reading = new Reading(index + 1, baseline, changes);
      const marks = list.map((mark): Mark => ({ address: "203.0.113.45", id: 1, value: 1, ...mark }));
      for (const _ of reading.compare(marks, 3_000));
      const rows: [number, string, number, number][] = changes
        .finish()
        .flatMap(({ rows }) => JSON.parse(rows.toString()));
      return rows.map(([event, key, id, value]) => `${EVENTS[event]} ${key} ${id} ${value}`);
    });
  }

  const A = "203.0.113.45";

  const OTHER = { address: "203.0.113.46" };
  const expired = { status: "expired", lifetime: 0 };
  const huge = (digits: string) => ({ value: Number(digits), exact: { value: digits } });
  const hot = { value: 2, id: 7, status: "hot", lifetime: 9 };
  const two = { id: 2, value: 5 };
  const added = [`added ${A} 1 1`];
  /** Events between lists: the lists, and the events of each. */
  const STORIES: Record<string, [lists: Partial<Mark>[][], events: string[][]]> = {
    "the first list is all added; the same again is nothing": [
      [
        [{}, OTHER],
        [{}, OTHER],
      ],
      [[...added, "added 203.0.113.46 1 1"], []],
    ],
    "another value, id or status is changed, also beside a lifetime that rose": [
      [[{ lifetime: 5 }], [{ value: 2, lifetime: 9 }], [{ ...hot, status: undefined }], [hot]],
      [added, [`changed ${A} 1 2`], [`changed ${A} 7 2`], [`changed ${A} 7 2`]],
    ],
    "a lifetime that rose is renewed; one that runs down and an age are nothing": [
      [[{ lifetime: 60, age: 1 }], [{ lifetime: 57, age: 4 }], [{ lifetime: 58, age: 7 }], [{ lifetime: 55 }]],
      [added, [], [`renewed ${A} 1 1`], []],
    ],
    "what vanishes after its lifetime ran out is expired": [
      [[{ lifetime: 3 }], []],
      [added, [`expired ${A} 1 1`]],
    ],
    "what vanishes before is gone, with its last value": [
      [[{ lifetime: 60 }], [{ lifetime: 60, value: 9 }], []],
      [added, [`changed ${A} 1 9`], [`gone ${A} 1 9`]],
    ],
    "what vanishes without a lifetime is gone": [
      [[{}], []],
      [added, [`gone ${A} 1 1`]],
    ],
    "a status that says expired is told once, then silence, until the mark is active again": [
      [[{ lifetime: 9 }], [expired], [expired], [], [{ lifetime: 9 }], [expired], [{ status: "active" }]],
      [added, [`expired ${A} 1 1`], [], [], added, [`expired ${A} 1 1`], added],
    ],
    "marks of one address by two rules are two marks": [
      [[{ id: 1 }, { id: 2, value: 5 }], [{ id: 1 }, { id: 2, value: 5 }], [{ id: 1 }]],
      [[...added, `added ${A}@2 2 5`], [], [`gone ${A}@2 2 5`]],
    ],
    "of marks of one address, the end of the first says nothing of the second, wherever it is listed": [
      [[{ id: 1 }, two], [two], [two], [{ id: 3, value: 9 }, two], [two, { id: 3, value: 9 }], [{ id: 3, value: 9 }]],
      [[...added, `added ${A}@2 2 5`], [`gone ${A} 1 1`], [], [`added ${A} 3 9`], [], [`gone ${A}@2 2 5`]],
    ],
    "counters beyond the integers of a double are compared by their digits": [
      [[huge("18446744073709551614")], [huge("18446744073709551615")]],
      [[`added ${A} 1 18446744073709552000`], [`changed ${A} 1 18446744073709552000`]],
    ],
  };
  test.each(Object.entries(STORIES))("%s", (_, [lists, expected]) => expect(events(...lists)).toEqual(expected));
});
