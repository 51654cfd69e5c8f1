import { describe, expect, it } from "vitest";
import type { Shape } from "../support/shaped-node";
import { NODES } from "../support/shapes/nodes";
import { byClient, type Reading } from "../support/shapes/readings";
import { type Content, type NodeShape, readOf } from "../support/shapes/shape";
import { startNode } from "../support/shapes/start";
import { Told } from "../support/told";

const ROWS = Object.entries(NODES);
type Settings = NonNullable<NodeShape["settings"]>;

/** Entries that were read and differ from those of the node. */
function misread(reading: Reading, content: Content): Partial<Reading> {
  const parts = Object.keys(content) as (keyof Content)[];
  return Object.fromEntries(
    parts.flatMap((part) => (isTrue(part, reading[part], content[part]) ? [] : [[part, reading[part]]])),
  );
}

/** An error; the content itself; or records in which something is not known by name, and stands among what is kept as it came. */
function isTrue(part: keyof Content, read: Reading[keyof Content], held: Content[keyof Content]): boolean {
  if (typeof read === "string" || JSON.stringify(read) === JSON.stringify(held)) return true;
  if (part !== "rules" && part !== "marks") return false;
  const [records, all] = [read, held] as Content["rules"][];
  return (
    records?.length === all?.length &&
    !!records?.every(
      ({ extra, ...known }, at) =>
        extra !== undefined && Object.entries(known).every(([name, value]) => all?.[at]?.[name] === value),
    )
  );
}

/** Every way to leave settings out: all, or one of them. */
function lessOf({ answers = {} }: Settings): Settings[] {
  const names = Object.keys(answers) as (keyof typeof answers)[];
  const fewer = names.map((left) => ({ answers: { ...answers, [left]: undefined } }));
  return names.length > 1 ? [{}, ...fewer] : [{}];
}

describe("without the settings that it needs", () => {
  const rows = ROWS.filter(([, { settings }]) => settings?.answers !== undefined);
  it.each(rows)("%s: what is not known is an error, and nothing is misread", async (_name, shape) => {
    await using node = await startNode(shape);
    for (const settings of lessOf(shape.settings ?? {})) {
      const reading = await byClient({ endpoint: node.endpoint, ...settings });
      expect(misread(reading, readOf(shape)), JSON.stringify(settings)).toEqual({});
    }
  });
});

/** Changes the bodies of all lists. */
function changed(change: (body: unknown) => unknown) {
  const each = (told: unknown) =>
    told instanceof Told ? new Told(told.status, change(told.body), told.headers) : change(told);
  return ({ list, others }: Shape): Partial<Shape> => ({
    list: (held, url) => each(list?.(held, url)),
    others: (asked) => each(others?.(asked)),
  });
}

const isObject = (body: unknown): body is object =>
  typeof body === "object" &&
  body !== null &&
  !Array.isArray(body) &&
  !Object.keys(body).some((key) => /[:/]/.test(key));
const isJson = ({ settings: { answers = {} } = {} }: NodeShape) => answers.format === undefined;
const hasReader = ({ settings: { answers = {} } = {} }: NodeShape) => answers.read !== undefined;
const textOf = (body: unknown) => (typeof body === "string" ? body : JSON.stringify(body));

/** Changes that shorten every list of a node. Where it says nothing about a shape, the reason. */
const LESS: Record<string, { change: (body: unknown) => unknown; says: (shape: NodeShape) => boolean }> = {
  "cut off in the middle": {
    change: (body) => textOf(body).slice(0, Math.floor(textOf(body).length / 2)),
    // Lines may end after any line, and only a number tells what is missing; a module reads what it likes.
    says: (shape) => isJson(shape) && !hasReader(shape),
  },
  "with the status of a part": {
    change: (body) => new Told(206, body),
    says: () => true,
  },
  "with a member that says that it goes on": {
    change: (body) => (isObject(body) ? { ...body, has_more: true } : new Told(206, body)),
    // Where the settings say what tells it, nothing else does.
    says: (shape) => !hasReader(shape) && shape.settings?.answers?.more === undefined,
  },
  "with an error at the end": {
    change: (body) => (typeof body === "string" ? `${body}ERROR table locked\n` : { error: "table locked", data: [] }),
    says: (shape) => !hasReader(shape) && shape.settings?.answers?.success === undefined,
  },
};

describe.each(Object.entries(LESS))("a list %s", (_title, { change, says }) => {
  it.each(ROWS.filter(([, shape]) => says(shape)))("%s: is an error", async (_name, shape) => {
    await using node = await startNode(shape, changed(change));
    const reading = await byClient(node.target);
    expect(Object.entries(reading).filter(([, part]) => typeof part !== "string")).toEqual([]);
  });
});

it.each(ROWS)("%s: an empty list beside a verdict that is not known is an error", async (_name, shape) => {
  const { success, failure, read } = shape.settings?.answers ?? {};
  // Settings that say what a success is have the last word, and an array or a text has no room for another verdict.
  if (success || failure || read) return;
  let hasRoom = true;
  await using node = await startNode(
    shape,
    changed((body) => {
      hasRoom &&= isObject(body);
      return isObject(body) ? { ...body, outcome: "partial" } : body;
    }),
  );
  for (const [url] of node.sets) node.sets.set(url, new Map());
  const { entries } = await byClient(node.target);
  if (hasRoom) expect(entries).toMatch(/^Set prefixset:/);
});
