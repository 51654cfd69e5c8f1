import { expect, test } from "vitest";
import { SignalingClient } from "../../provider/client";
import { Prefix } from "../../provider/model/prefix";
import { exitCode } from "../../provider/probe/finding";
import { startShapedReceiver } from "../support/shaped-receiver";
import { RECEIVERS } from "../support/shapes/receivers";
import { atOnce, optionsOf, probedReceiver } from "./at-once";
import { OWN } from "./support";

const ONE = Prefix.parse("203.0.113.7/32");
const OTHER = Prefix.parse("2001:db8::/48");

test.each(Object.entries(RECEIVERS))("%s: what a probe finds reads status, start and stop", async (_name, shape) => {
  await using receiver = await startShapedReceiver(shape);
  const result = await probedReceiver(receiver);
  expect(
    { active: [...receiver.active], ...result, findings: [], dialect: {} },
    JSON.stringify(result.findings),
  ).toEqual({
    active: [],
    findings: [],
    node: {},
    dialect: {},
    unusable: [],
    left: [],
    looked: { of: 2, missed: [] },
    receiver: expect.anything(),
  });
  const client = new SignalingClient({ ...optionsOf(receiver), ...result.receiver }, { ...atOnce() });
  const both = shape.isSingle ? [ONE] : [ONE, OTHER];
  expect(await client.status()).toEqual([]);
  for (const prefixes of [[ONE], both]) {
    await client.start(prefixes);
    expect((await client.status()).map(String)).toEqual(prefixes.map(String));
    await expect(client.start(prefixes)).rejects.toThrow(/start failed/);
    await client.stop(prefixes);
    await expect(client.stop(prefixes)).rejects.toThrow(/stop failed/);
    expect(await client.status()).toEqual([]);
  }
  await client.close();
});

test("a receiver that stops what is not active with the word of every start says that word on success", async () => {
  const refused = (operation: string) => (operation === "stop" ? { code: 7 } : { code: 99 });
  await using receiver = await startShapedReceiver({ done: () => ({ code: 7 }), refused }, { secret: "k3y" });
  const found = await probedReceiver(receiver);
  expect([found.unusable, found.receiver?.answers]).toEqual([[], { success: { member: "code", values: [7] } }]);
  expect(receiver.active.size).toBe(0);
});

/** Answers to starts and stops by their number, whose signs fail for another start or stop. */
const NO_SIGN: Record<string, [done: (operation: "start" | "stop", at: number) => unknown, outcome: string]> = {
  "names the prefix": [(operation) => `Signaling of ${OWN}: ${operation} was carried out`, "unusable"],
  "names the time": [(operation, at) => `12:03:${10 + at} ${operation} was carried out`, "unusable"],
  "answers a stop as it refuses one": [(operation) => (operation === "start" ? "signaling started" : "NAK"), "misread"],
  "numbers its texts": [(_, at) => `request ${at} was carried out`, "misread"],
  "numbers its objects": [(_, at) => ({ id: at }), "misread"],
};

const EITHER = [OWN, String(ONE)].flatMap((own) =>
  Object.entries(NO_SIGN).map(([what, row]) => [what, own, row] as const),
);

test.each(EITHER)("a receiver that %s cannot be expressed, with %s as the prefix", async (_, own, [done, outcome]) => {
  let at = 0;
  await using receiver = await startShapedReceiver({
    done: (operation) => done(operation, ++at),
    refused: () => "NAK",
  });
  const result = await probedReceiver(receiver, own);
  const found = result.findings.find(({ point }) => point === "signaling-answers");
  expect([found?.outcome, found?.expressed, exitCode(result)]).toEqual([outcome, "beyond", 4]);
  expect([result.left, [...receiver.active]]).toEqual([[], []]);
});

test("a running signaling that no status shows is not stopped before a start of its own is shown", async () => {
  await using receiver = await startShapedReceiver({ status: () => "signaling: see the screen" });
  receiver.active.add(OWN);
  const { left } = await probedReceiver(receiver);
  expect([left, [...receiver.active], receiver.asked.includes("stop")]).toEqual([[], [OWN], false]);
});

test("where a receiver is started once alone, nothing in its answer is a sign of success, and no setting is written", async () => {
  let changes = 0;
  await using receiver = await startShapedReceiver({
    status: (active) => ({ IP_prefix: changes > 2 ? [] : active }),
    done: (operation) => {
      changes += 1;
      return operation === "start" ? "signaling begun" : "signaling ended";
    },
  });
  const result = await probedReceiver(receiver, String(ONE));
  expect([result.receiver, [...receiver.active]]).toEqual([{}, []]);
});
