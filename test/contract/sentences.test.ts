import { expect, it } from "vitest";
import { NodeClient, Prefix, SignalingClient } from "../../provider/client";
import { startShapedNode } from "../support/shaped-node";
import { startShapedReceiver } from "../support/shaped-receiver";
import type { ReceiverShape } from "../support/shapes/receivers";
import { SET } from "../support/shapes/shape";

/** Error of a start at such a receiver. */
async function start(shape: ReceiverShape) {
  await using receiver = await startShapedReceiver(shape);
  const client = new SignalingClient({ url: receiver.url, clientId: "c1", secretKey: "k3y" }, { maxTries: 1 });
  const told = await client.start([Prefix.parse("192.0.2.1")]).catch((error: Error) => error.message);
  await client.close();
  return told?.replaceAll(receiver.url, "RECEIVER").replaceAll(new URL(receiver.url).host, "RECEIVER");
}

it("a receiver is told of as a receiver", async () => {
  expect(await start({ done: () => ({ rc: 7 }) })).toMatch(
    /start failed \(HTTP 200\): the answer is not known to mean success: "rc": "?7"?\. If this receiver says so where all is well, set answers\.success\.start: \{ member: "rc", values: \[7\] \} of the receiver\.$/,
  );
  expect(await start({ done: () => "ok\0" })).toBeUndefined();
});

it("a text of nothing but signs is quoted", async () => {
  await using node = await startShapedNode({ [SET]: {} }, { list: () => "." });
  const client = new NodeClient({ endpoint: node.endpoint }, { maxTries: 1 });
  const set = { kind: "prefixset", arena: "edge", set: "blocked" } as const;
  await expect(client.listPrefixSet(set)).rejects.toThrow(
    /list failed \(HTTP 200\): the answer is not JSON: "\."\. To find settings .*probe" for this node\.$/,
  );
  await client.close();
});
