import { expect, test } from "vitest";
import { SignalingClient } from "../../provider/client";
import { Prefix } from "../../provider/model/prefix";
import { probe } from "../../provider/probe/probe";
import { startShapedReceiver } from "../support/shaped-receiver";
import { RECEIVERS } from "../support/shapes/receivers";
import { atOnce } from "./at-once";

const ONE = Prefix.parse("203.0.113.7/32");
const OTHER = Prefix.parse("2001:db8::/48");
const OWN = Prefix.parse("198.51.100.0/24");

test.each(Object.entries(RECEIVERS))("%s: what a probe finds reads status, start and stop", async (_name, shape) => {
  await using receiver = await startShapedReceiver(shape);
  const options = { url: receiver.url, clientId: "c1", secretKey: "k3y" };
  const result = await probe({ urls: [], receiver: { options, prefix: OWN }, world: atOnce() });
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
  const client = new SignalingClient({ ...options, ...result.receiver }, { ...atOnce() });
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
