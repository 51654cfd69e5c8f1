import { describe, expect, it } from "vitest";
import { readList } from "../../provider/client/answer-readers";
import type { Answers, ListKind } from "../../provider/wire/answers";
import { findList } from "../../provider/wire/envelope";
import { ShapeError } from "../../provider/wire/json";
import { readPrefixSetList } from "../../provider/wire/prefix-set-list";
import { describedBy } from "../../provider/wire/remedies";

const NAMES = "data result results response entries records items list rows profiles rules marks prefixes prefixset";
const ONE = [{ p: "192.0.2.0/24", v: 1 }];
const KEYED = { "192.0.2.0/24": 1, "2001:db8::/32": 2 };

const find = (
  json: unknown,
  answers?: Answers,
  kind: ListKind = "prefixset",
  keyedPlaces?: Set<string>,
  isSuccess?: boolean,
) => {
  const list = findList(json, kind, { answers, keyedPlaces, isSuccess });
  return list.kind === "array" ? list.elements : list.members;
};

function refusal(json: unknown, answers?: Answers, kind?: ListKind): { message: string; remedy: string | undefined } {
  try {
    find(json, answers, kind);
  } catch (error) {
    if (error instanceof ShapeError) return { message: error.message, remedy: error.remedy };
    throw error;
  }
  throw new Error(`${JSON.stringify(json)} was read`);
}

/** Reads an answer by the setting that a message advised; one that no setting describes by a module of one's own. */
function bySetting(json: unknown, remedy: string): unknown {
  if (remedy === "") return find(json, undefined, "prefixset", undefined, true);
  const [, member, values] = /answers\.success\.list: \{ member: (".*?"), values: (\[.*\]) \}\.$/.exec(remedy) ?? [];
  const success = { member: JSON.parse(member ?? ""), values: JSON.parse(values ?? "") };
  const reading = readList(
    { status: 200, header: () => undefined, headers: {}, body: JSON.stringify(json) },
    "prefixset",
    readPrefixSetList,
    { answers: { success } },
  );
  return reading.kind === "done" ? reading.value : reading;
}

describe("a list is found", () => {
  it.each(NAMES.split(" "))("under the name %s, in any case, and null stands for an empty one", (name) => {
    for (const spelled of [name, name.toUpperCase(), `${name[0]?.toUpperCase()}${name.slice(1)}`]) {
      expect(find({ status: "ok", took: 3, [spelled]: ONE, warnings: [], more: false })).toEqual(ONE);
      expect(find({ [spelled]: null, error: null })).toEqual([]);
      expect(find({ [spelled]: KEYED })).toEqual(KEYED);
      expect(find({ response: { result: "ok", [spelled]: ONE } })).toEqual(ONE);
      expect(find({ data: { Result: { [spelled]: ONE, code: 0 } } })).toEqual(ONE);
    }
  });

  it.each([
    [ONE],
    [[]],
    [KEYED],
    [{ data: ONE, result: null, list: {} }],
    [{ data: ONE, meta: { next: null, total: 1, tags: [] }, links: { self: "/fapi" } }],
    [{ result: { code: 0, message: "ok" }, items: ONE }],
  ])("in %j", (json) => {
    expect(() => find(json)).not.toThrow();
  });
});

describe("an empty object", () => {
  it("is refused with the setting that reads it, and read with that", () => {
    expect(refusal({})).toEqual({
      message: "the answer is an empty object",
      remedy: 'If this is how the node answers an empty list, set answers.empty: "{}".',
    });
    expect(refusal({ status: "ok", data: {} })).toEqual({
      message: 'the answer is an object with "status", "data", and "data" is an empty object',
      remedy: 'If this is how the node answers an empty list, set answers.empty: "{}".',
    });
    for (const json of [{}, { status: "ok", data: {} }]) expect(find(json, { empty: "{}" })).toEqual([]);
    expect(find({}, { empty: "{}", path: "payload" })).toEqual([]);
  });

  it("is an empty list where the node listed a keyed object before, and only there", () => {
    const places = new Set<string>();
    const ask = (json: unknown) => find(json, undefined, "prefixset", places);
    expect(() => ask({})).toThrow(ShapeError);
    expect(ask(KEYED)).toEqual(KEYED);
    expect(ask({})).toEqual([]);
    expect(() => ask({ data: {} })).toThrow(ShapeError);
    expect(ask({ data: KEYED })).toEqual(KEYED);
    expect(ask({ data: {} })).toEqual([]);
    expect(ask({ result: [] })).toEqual([]);
    expect(() => ask({ result: {} })).toThrow(ShapeError);
  });

  it("is no list beside other things that may be the list", () => {
    for (const json of [
      { data: {}, result: null },
      { data: {}, list: {} },
      { data: {}, staged: ONE },
    ]) {
      expect(() => find(json, { empty: "{}" })).toThrow(ShapeError);
    }
  });
});

describe("what is not understood is refused with its shape and the setting that reads it", () => {
  it.each<[json: unknown, kind: ListKind, path: string]>([
    [{ payload: ONE }, "prefixset", "payload"],
    [{ data: { table: KEYED } }, "prefixset", "data.table"],
    [{ "v1.0": { "a.b": ONE } }, "prefixset", "v1.0.a.b"],
    [{ payload: { rules: [{ id: 1 }] } }, "rules", "payload.rules"],
    [{ payload: null, table: [{ a: "192.0.2.1" }] }, "marks", "table"],
    [{ store: { web: { id: 1 }, mail: { id: 2 } } }, "profiles", "store"],
  ])("%j as %s by the path %s", (json, kind, path) => {
    const { message, remedy } = refusal(json, undefined, kind);
    expect(message).toMatch(/^the answer is an object with .*; its shape is \{/);
    expect(remedy).toBe(describedBy("path"));
    expect(() => find(json, { path }, kind)).not.toThrow();
    expect(find(json, { path: { [kind]: path } }, kind)).toEqual(find(json, { path }, kind));
  });

  it("an empty object under another name by its path and by its meaning", () => {
    expect(refusal({ blocked: {}, version: 2 }).remedy).toBe(describedBy("path"));
    expect(find({ blocked: {}, version: 2 }, { path: "blocked", empty: "{}" })).toEqual([]);
  });

  it.each([
    [[{ data: ONE }], "0.data"],
    [{ result: [{ entries: ONE, name: "blocked" }] }, "result.0.entries"],
  ])("a list in the one object of an array by a path with its place: %j", (json, path) => {
    expect(() => readPrefixSetList(json)).toThrow("element 0 has no prefix");
    expect(find(json, { path })).toEqual(ONE);
  });

  it("shows no data of the answer but names", () => {
    const { message } = refusal({ payload: [{ token: "top-secret", pin: 1234567, deep: { x: [1], y: null } }, 2] });
    expect(message).toBe(
      'the answer is an object with "payload"; its shape is {"payload":[{"token":text,"pin":number,"deep":{"x":[…],"y":null}},…]}',
    );
    const long = refusal({ payload: Object.fromEntries(Array.from({ length: 99 }, (_, n) => [`member-${n}`, "x"])) });
    expect(long.message.length).toBeLessThan(400);
  });

  it.each([
    [{ data: ONE, list: [] }, "data", "list"],
    [{ data: [], staged: ONE }, "data", "staged"],
    [{ data: [], meta: { pending: ["192.0.2.0/24"] } }, "data", "meta.pending"],
    [{ data: ONE, applied: KEYED }, "applied", "data"],
    [{ entries: ONE, running: {} }, "running", "entries"],
    [{ entries: ONE, running: [] }, "running", "entries"],
    [{ data: { items: [] }, Result: ONE }, "data.items", "Result"],
    [{ rules: [], prefixes: ["192.0.2.0/24"] }, "rules", "prefixes"],
  ])("two lists compete in %j", (json, one, two) => {
    expect(refusal(json)).toEqual({
      message: `both "${one}" and "${two}" are lists`,
      remedy: `Name the right one: answers.path: "${one}" or answers.path: "${two}".`,
    });
  });

  it.each([
    [null],
    [0],
    ["[]"],
    [true],
    [{ status: "ok" }],
    [{ data: null, result: null }],
    [{ data: null, sets: ONE }],
    [{ data: "192.0.2.0/24" }],
    [{ data: { p: "192.0.2.0/24", v: 1 } }],
    [{ "192.0.2.0/24": 1, status: "ok" }],
    [{ data: { "192.0.2.0/24": 1, total: 1 } }],
    [{ data: null, result: { "192.0.2.0/24": 1, total: 1 } }],
    [{ other: null }],
    [{ constructor: 1, toString: [] }],
    [JSON.parse(`${'{"data":'.repeat(5_000)}[]${"}".repeat(5_000)}`)],
  ])("%# is no list, and never an empty one", (json) => {
    expect(() => find(json)).toThrow(ShapeError);
  });
});

/** Members beside a list of one that may report that it is only a part, and the path of the one that is named. */
const PARTIAL: readonly (readonly [beside: Record<string, unknown>, named: string])[] = [
  [{ next: "/page/2" }, "next"],
  [{ Has_More: true }, "Has_More"],
  [{ _links: { self: "/1", next: "/2" } }, "_links.next"],
  [{ paging: { total_pages: 3 } }, "paging.total_pages"],
  [{ next_page: 2 }, "next_page"],
  [{ partial: true }, "partial"],
  [{ meta: { nextPageToken: "b" } }, "meta.nextPageToken"],
  [{ total: 5 }, "total"],
  [{ count: "5" }, "count"],
  [{ total_entries: 12 }, "total_entries"],
  [{ size: 2 }, "size"],
  [{ result_info: { page: 1, per_page: 1, count: 1, total_count: 250 } }, "result_info.total_count"],
  [{ cursors: { after: "abc" } }, "cursors.after"],
  [{ NextMarker: "abc" }, "NextMarker"],
  [{ IsTruncated: true }, "IsTruncated"],
  [{ remaining: 250 }, "remaining"],
  [{ last: false, totalElements: 1 }, "last"],
  [{ last: true, totalElements: 250 }, "totalElements"],
  [{ metadata: { continue: "abc" } }, "metadata.continue"],
  [{ complete: false }, "complete"],
  [{ "@odata.nextLink": "https://example.com/2" }, "@odata.nextLink"],
  [{ NextToken: "abc" }, "NextToken"],
  [{ LastEvaluatedKey: { id: "abc" } }, "LastEvaluatedKey"],
  [{ _links: { self: { href: "/1" }, next: { href: "/2" } } }, "_links.next"],
  [{ after: { id: 7 } }, "after"],
  [{ searchAfter: { name: "x" } }, "searchAfter"],
  [{ end: 1 }, "end"],
  [{ code: 206 }, "code"],
  [{ status: "206 Partial Content" }, "status"],
  [{ url: "/l?page=2" }, "url"],
  [{ href: "https://example.com/l?offset=100&limit=10" }, "href"],
  [{ marker: "abc" }, "marker"],
  [{ _scroll_id: "abc" }, "_scroll_id"],
  [{ pageInfo: { hasNextPage: true, endCursor: "x" } }, "pageInfo.hasNextPage"],
  [{ endCursor: "x" }, "endCursor"],
  [{ more_available: true }, "more_available"],
  [{ offset: 100 }, "offset"],
  [{ page: 2, pages: 2 }, "page"],
  [{ page: 1 }, "page"],
  [{ limit: 1 }, "limit"],
  [{ resumptionToken: "abc" }, "resumptionToken"],
  [{ done: false }, "done"],
  [{ shard: "1/3" }, "shard"],
  [{ window: "0-99" }, "window"],
  [{ message: "showing 1 of 250" }, "message"],
  [{ message: "list cut at 1000 entries" }, "message"],
  [{ status: "partial" }, "status"],
  [{ warnings: ["list truncated"] }, "warnings"],
  [{ bookmark: "abc" }, "bookmark"],
  [{ range: { unit: "items", to: 99 } }, "range.unit"],
];

describe("a list is the whole list only where nothing beside it may say otherwise", () => {
  it.each(PARTIAL)("%j is refused for every kind, with a path, too, but for answers.ignore", (beside, named) => {
    for (const kind of ["prefixset", "profiles", "rules", "marks"] as const) {
      for (const [json, path, at] of [
        [{ data: ONE, ...beside }, "data", named],
        [{ response: { result: ONE, ...beside } }, "response.result", `response.${named}`],
      ] as const) {
        for (const answers of [{}, { path }]) {
          const { message, remedy } = refusal(json, answers, kind);
          expect(message).toMatch(/^"[@\w.]+" (is|says) /);
          expect(remedy).toBe(`If the list is whole whatever it says, set answers.ignore: ["${at}"].`);
        }
        const ignore = Object.keys(beside).map((name) => at.replace(named, name));
        expect(find(json, { ignore }, kind)).toEqual(ONE);
        expect(find(json, { ignore: ignore.map((name) => name.toUpperCase()), path }, kind)).toEqual(ONE);
      }
    }
  });

  it("what is ignored already stays so in the setting that is proposed", () => {
    expect(refusal({ data: ONE, a: 1, b: 2 }, { ignore: ["a"] }).remedy).toContain('answers.ignore: ["a", "b"]');
  });

  it.each<Record<string, unknown>>([
    { status: "ok", code: 0, message: "listed", error: null, errors: [], rc: 0, success: true },
    { time: "2030-01-01T00:00:00Z", timestamp: 1_893_456_000, version: 3, took: 12, request_id: "7", requestId: "7" },
    { arena: "edge", set: "blocked", name: "blocked", type: "prefixset", self: "/fapi" },
    { total: 1, count: "1", totalElements: 1, pages: 1, page: 1, per_page: 100, offset: 0, limit: 100 },
    { number: 0, size: 1, totalPages: 1, first: true, last: true, empty: false, complete: true, done: true },
    { draw: 1, recordsTotal: 1, filteredCount: 1, responseText: "Approved" },
    { next: null, cursor: "", has_more: false, remaining: 0, truncated: "no", nextPageToken: null },
    { status: { code: 200, message: "ok" }, meta: { version: "1", tags: [] } },
    { _links: { self: { href: "/l?page=1" }, next: null }, next: { href: null }, lastModified: { time: "x" }, eof: 1 },
  ])("%j says nothing else", (beside) => {
    for (const answers of [{}, { path: "data" }]) expect(find({ ...beside, data: ONE }, answers)).toEqual(ONE);
  });

  it("an object of which all members are ignored does not matter", () => {
    expect(find({ data: ONE, next: { id: 7 } }, { ignore: ["next.id"] })).toEqual(ONE);
    expect(refusal({ data: ONE, next: { id: 7, at: 3 } }, { ignore: ["next.at"] }).message).toContain('"next" says');
  });

  it("another list beside the one that the path names does not matter, and its numbers do not", () => {
    const json = { applied: ONE, staged: [...ONE, ...ONE], queue: { items: [...ONE, ...ONE], total: 2 } };
    expect(find(json, { path: "applied" })).toEqual(ONE);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ total: 5, warnings: [] }, "total"],
    [{ meta: { total: 5, links: [{ href: "/1" }] } }, "meta.total"],
    [{ paging: { pages: 4, links: [{ rel: "self", href: "/1" }] } }, "paging.pages"],
    [{ links: [{ rel: "next", href: "/2" }] }, "links"],
    [{ next: KEYED }, "next"],
    [{ log: { lines: [{ at: 1 }, { at: 2 }], page: { total: 2 } } }, "log.page.total"],
    [{ log: { lines: [{ at: 1 }], page: { next: "/2" } } }, "log.page.next"],
    [{ staged: { rows: [...ONE, ...ONE], total: 3 } }, "staged.total"],
  ])("a list at the path that the settings name is a part beside %j, too", (beside, named) => {
    const answers = { path: "data" };
    expect(refusal({ data: ONE, ...beside }, answers).remedy).toContain(JSON.stringify(named));
    expect(find({ data: ONE, ...beside }, { ...answers, ignore: [named] })).toEqual(ONE);
  });

  it("one of several such lists in an array may be a part", () => {
    const json = [{ data: ONE }, { data: [...ONE, ...ONE] }];
    expect(refusal(json, { path: "0.data" }).message).toContain('a list stands at "1.data", too');
    expect(find(json, { path: "0.data", ignore: ["1.data"] })).toEqual(ONE);
    expect(find([{ data: ONE }, { data: [] }], { path: "0.data" })).toEqual(ONE);
  });

  it("answers.more alone is the sign", () => {
    const more = { member: "meta.rest" };
    expect(find({ data: ONE, shard: 7, meta: { rest: 0 } }, { more })).toEqual(ONE);
    expect(() => find({ data: ONE, meta: { rest: 3 } }, { more })).toThrow('"meta.rest" says that the list continues');
    const first = { more: { member: "0.rest" }, path: "0.data" };
    expect(() => find([{ data: ONE, rest: 3 }], first)).toThrow('"0.rest" says that the list continues');
  });
});

it("the size of a page, and totals of what is listed, do not make a list partial", () => {
  const about = { size: 1, total_entries: 1, partial: false, next_page: null, page: { size: 100, total: 1 } };
  expect(find({ data: ONE, ...about })).toEqual(ONE);
});

describe("a verdict beside an empty list", () => {
  it.each<[Record<string, unknown>, string]>([
    [{ success: 0 }, '"success": "0"'],
    [{ ok: 0 }, '"ok": "0"'],
    [{ ok: "no" }, '"ok": "no"'],
    [{ success: null }, '"success": "null"'],
    [{ code: 5 }, '"code": "5"'],
    [{ Code: "E17" }, '"Code": "E17"'],
    [{ errno: 11 }, '"errno": "11"'],
    [{ rc: -1 }, '"rc": "-1"'],
    [{ retcode: 3 }, '"retcode": "3"'],
    [{ status: "denied" }, '"status": "denied"'],
    [{ status: 1 }, '"status": "1"'],
    [{ status: false }, '"status": "false"'],
    [{ status: "ok", code: 5 }, '"code": "5"'],
    [{ result: "rejected" }, '"result": "rejected"'],
    [{ state: "locked" }, '"state": "locked"'],
    [{ outcome: "pending" }, '"outcome": "pending"'],
    [{ failed: true }, '"failed": "true"'],
    [{ exception: "LockTimeout" }, '"exception": "LockTimeout"'],
    [{ detail: "table locked" }, '"table locked"'],
    [{ details: ["table locked"] }, '"table locked"'],
    [{ fault: { reason: "table locked" } }, '"table locked"'],
    [{ status: "ok", success: 0, message: "table locked" }, '"table locked"'],
  ])("%j is not known to mean success: it is no empty list, but for the setting", (members, shown) => {
    for (const data of [[], null]) {
      for (const answers of [undefined, { path: "data" }]) {
        const { message, remedy = "" } = refusal({ ...members, data }, answers);
        expect(message).toBe(`nothing is listed, and beside it stands ${shown}`);
        expect(bySetting({ ...members, data }, remedy)).toEqual([]);
      }
    }
    expect(find({ ...members, data: ONE })).toEqual(ONE);
  });

  it.each([
    { ok: true },
    { ok: 1 },
    { success: "true" },
    { success: "yes" },
    { code: 0 },
    { code: 200 },
    { code: "S_OK" },
    { errno: 0, error: "" },
    { rc: 0 },
    { status: "OK" },
    { status: 204 },
    { status: null },
    { result: "success" },
    { state: "applied" },
    { errors: [], failed: false },
    { detail: "no entries" },
    { detail: "listed", code: 0 },
  ])("%j says that all is well", (members) => {
    expect(find({ ...members, data: [] })).toEqual([]);
  });
});

describe("words beside an empty list", () => {
  it.each([
    [{ msg: "no such set", data: [] }, '{ member: "msg", values: ["no such set"] }'],
    [{ Message: "no such set", data: null }, '{ member: "Message", values: ["no such set"] }'],
    [{ rc: 1, reason: "no such set", result: { items: [] } }, '{ member: "rc", values: [1] }'],
    [{ result: { rc: 1, reason: "no such set", items: [] } }, '{ member: "result.rc", values: [1] }'],
    [{ success: 0, message: "no such set", list: null }, '{ member: "success", values: [0] }'],
    [{ status: "NOK", errmsg: "no such set", data: [] }, '{ member: "status", values: ["NOK"] }'],
  ])("%j may be an error: it is no empty list, but for the setting", (json, setting) => {
    expect(refusal(json)).toEqual({
      message: 'nothing is listed, and beside it stands "no such set"',
      remedy: `If this is how the node answers an empty list, set answers.success.list: ${setting}.`,
    });
    expect(bySetting(json, refusal(json).remedy ?? "")).toEqual([]);
  });

  it.each([
    { msg: "ok", data: [] },
    { message: "no entries found", data: [] },
    { message: "the set is empty", data: null },
    { code: 0, msg: "listed", data: [] },
    { status: 200, message: "listed", data: [] },
    { status: "success", message: "listed", data: null },
    { success: true, message: "listed", data: [] },
    { error: null, message: "listed", data: [] },
    { result: { rows: [], description: "known offenders" } },
  ])("%j say that all is well", (json) => {
    expect(find(json)).toEqual([]);
  });

  it("do not matter where something is listed", () => {
    expect(find({ msg: "listed", data: ONE })).toEqual(ONE);
  });
});

describe("a path from the settings", () => {
  it.each<[json: unknown, path: string, list: unknown]>([
    [{ payload: { items: ONE } }, "payload.items", ONE],
    [{ payload: { items: null } }, "payload.items", []],
    [{ payload: KEYED, data: [] }, "payload", KEYED],
    [[{ data: ONE }, { data: [] }], "0.data", ONE],
    [ONE, "payload", ONE],
  ])("%j at %s", (json, path, list) => {
    expect(find(json, { path })).toEqual(list);
  });

  it.each<[json: unknown, message: string]>([
    [{ data: ONE }, 'nothing stands at "payload" in it'],
    [{}, 'nothing stands at "payload" in it'],
    [{ payload: 3 }, 'at "payload" in it is the number 3'],
    [{ payload: { "192.0.2.0/24": 1, x: 2 } }, 'at "payload" in it is an object with'],
    [null, 'nothing stands at "payload" in it'],
  ])("finds no list in %j", (json, message) => {
    expect(refusal(json, { path: "payload" }).message).toContain(message);
  });
});
