import { expect, test } from "vitest";
import { Prefix } from "../../provider/model/prefix";
import { type Note, noteLine, readUndo } from "../../provider/probe/asking/undo";
import { check } from "../../provider/probe/check";
import { probe } from "../../provider/probe/probe";
import { type ShapedReceiver, startShapedReceiver } from "../support/shaped-receiver";
import type { ReceiverShape } from "../support/shapes/receivers";
import { Told } from "../support/told";
import { atOnce, optionsOf, probedReceiver } from "./at-once";
import { OWN } from "./support";

const WORDS = {
  secret: "secret_key invalid",
  start: "cloud signaling already active",
  stop: "cloud signaling is not active",
} as const;

/** Number of requests that are answered with a code while the receiver is busy. */
const BUSY = 10;

const refused = (what: keyof typeof WORDS) => ({ outcome: "error", why: WORDS[what] });

/** A receiver that answers 200 to everything: `{"outcome":"done"}`, or `{"outcome":"error"}` with a text of the contract. */
function startReceiver(manners: Parameters<typeof startShapedReceiver>[1], shape: ReceiverShape = {}) {
  const status = (active: readonly string[]) => ({ outcome: "done", active });
  const answers = { status, done: () => ({ outcome: "done" }), refused, ...shape };
  return startShapedReceiver(answers, { secret: "k3y", keepsSent: true, ...manners });
}

test("a stop that is answered with a refusal of the contract teaches no success, though nothing is active after it", async () => {
  const done = (operation: string) => (operation === "stop" ? refused("stop") : { outcome: "done" });
  await using receiver = await startReceiver({}, { done });
  const { receiver: settings, left } = await probedReceiver(receiver);
  expect(settings).toEqual({ answers: { name: "active", success: { member: "outcome", values: ["done"] } } });
  expect({ left, active: [...receiver.active] }).toEqual({ left: [], active: [] });
});

test("a single address that was started without its length is stopped so where a receiver keeps what it was sent", async () => {
  await using receiver = await startReceiver({});
  const { left } = await probedReceiver(receiver);
  expect({ left, active: [...receiver.active] }).toEqual({ left: [], active: [] });
});

test.each(["probe", "check"])(
  "a signaling that another client starts between the status and the start of a %s goes on",
  async (what) => {
    const instead = () => {
      if (receiver.asked.at(-1) === "start") receiver.active.add(OWN);
    };
    await using receiver: ShapedReceiver = await startShapedReceiver({}, { instead });
    const own = { options: optionsOf(receiver), prefix: Prefix.parse(OWN) };
    const notes: string[] = [];
    const options = { urls: [], receiver: own, world: atOnce(), note: (note: Note) => void notes.push(noteLine(note)) };
    const { left } = await (what === "probe" ? probe(options) : check(options));
    expect({ left, active: [...receiver.active] }).toEqual({ left: [], active: [OWN] });
    expect(readUndo([noteLine({ begun: {} }), ...notes].join("")).started).toEqual([]);
  },
);

test.each(["probe", "check"])(
  "a start that a receiver carries out, and answers as if it were busy, is stopped at the end of a %s",
  async (what) => {
    let isFirst = true;
    const instead = () => {
      if (receiver.asked.at(-1) !== "start" || !isFirst) return undefined;
      isFirst = false;
      receiver.active.add(OWN);
      return new Told(429, "busy");
    };
    await using receiver: ShapedReceiver = await startShapedReceiver({}, { instead });
    const own = { options: optionsOf(receiver), prefix: Prefix.parse(OWN) };
    const options = { urls: [], receiver: own, world: atOnce() };
    const { left } = await (what === "probe" ? probe(options) : check(options));
    expect({ left, active: [...receiver.active] }).toEqual({ left: [], active: [] });
  },
);

test("a check starts no prefix that overlaps an active one", async () => {
  await using receiver = await startShapedReceiver({});
  const own = Prefix.parse(OWN);
  receiver.active.add(own.truncate(own.length - 1).toString());
  await check({ urls: [], receiver: { options: optionsOf(receiver), prefix: own }, world: atOnce() });
  expect(receiver.asked).not.toContain("start");
});

test("a check judges the answer to a stop, too", async () => {
  const done = (operation: string) => (operation === "stop" ? { outcome: "gone" } : "ok");
  await using receiver = await startShapedReceiver({ done });
  const own = { options: optionsOf(receiver), prefix: Prefix.parse(OWN) };
  const { rows, left } = await check({ urls: [], receiver: own, world: atOnce() });
  expect(rows).toEqual([expect.objectContaining({ held: false, seen: expect.stringContaining("its stop") })]);
  expect({ left, active: [...receiver.active] }).toEqual({ left: [], active: [] });
});

test("a receiver that locks its client after a wrong secret is found out before anything is started", async () => {
  let isLocked = false;
  const locking = () => {
    isLocked = true;
    return new Told(401, WORDS.secret);
  };
  const instead = () => (isLocked ? new Told(403, "locked") : undefined);
  await using receiver = await startShapedReceiver({ refused: locking }, { secret: "k3y", instead });
  const { left, findings } = await probedReceiver(receiver);
  expect({ left, active: [...receiver.active] }).toEqual({ left: [], active: [] });
  expect(receiver.asked).not.toContain("start");
  expect(JSON.stringify(findings)).toContain("locked");
});

test.each<[string, ReceiverShape, expressed: string, dialect: object]>([
  ["lists all with any secret", {}, "beyond", {}],
  ["answers no list and no known error", { refused: () => "go away" }, "unknown", {}],
  ["refuses", { refused: () => new Told(403, "no") }, "contract", { statusWrongSecret: "error" }],
  ["lists nothing", { refused: () => ({ IP_prefix: [] }) }, "dialect", { statusWrongSecret: "empty" }],
])("a receiver that %s is seen by a status with a wrong secret", async (_, shape, expressed, dialect) => {
  await using receiver = await startShapedReceiver(shape, "refused" in shape ? { secret: "k3y" } : {});
  const { findings } = await probedReceiver(receiver);
  const found = findings.find(({ point }) => point === "status-wrong-secret");
  expect([found?.expressed, found?.dialect]).toEqual([expressed, dialect]);
});

test("what a receiver that dies at a later start may have kept is named", async () => {
  await using receiver = await startReceiver({ diesAtStart: 2 });
  const { left } = await probedReceiver(receiver);
  expect(receiver.active.size).toBe(1);
  expect(left.map(({ prefixes }) => prefixes)).toEqual([[...receiver.active]]);
});

test.each([7, 8, 9, 11, 14, 20])(
  "a receiver that answers with a code alone for a while, from request %i on, is left with nothing signaled",
  async (busyFrom) => {
    const instead = (request: number) =>
      request >= busyFrom && request < busyFrom + BUSY ? '{"code":12,"msg":"later"}' : undefined;
    await using receiver = await startReceiver({ instead });
    const { left } = await probedReceiver(receiver);
    expect({ left, active: [...receiver.active] }).toEqual({ left: [], active: [] });
  },
);
