import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Prefix, type ReceiverOptions, SignalingClient } from "../../provider/client";
import { run } from "../commands/support";
import { startShapedReceiver } from "../support/shaped-receiver";
import { RECEIVERS, type ReceiverShape } from "../support/shapes/receivers";

const ROWS = Object.entries(RECEIVERS);
const [A, B, C] = ["198.51.100.7/32", "198.51.100.128/25", "2001:db8::/48"].map((text) => Prefix.parse(text)) as [
  Prefix,
  Prefix,
  Prefix,
];

async function start(shape: ReceiverShape, answers: ReceiverOptions["answers"] = shape.settings) {
  const receiver = await startShapedReceiver(shape);
  const options = { url: receiver.url, clientId: "c1", secretKey: "k3y-canary", deadlineMs: 2_000 };
  const client = new SignalingClient({ ...options, ...(answers && { answers }) }, { maxTries: 1 });
  const status = () =>
    client.status().then(
      (list) => list.map(String),
      (error: Error) => error.message.replaceAll(new URL(receiver.url).host, "RECEIVER"),
    );
  const dispose = async () => {
    await client.close();
    await receiver[Symbol.asyncDispose]();
  };
  return { ...receiver, client, status, [Symbol.asyncDispose]: dispose };
}

it("at least twenty receivers are read", () => expect(ROWS.length).toBeGreaterThanOrEqual(20));

describe("a receiver", () => {
  it.each(ROWS)("%s: starts and stops, and says what is active", async (_name, shape) => {
    await using receiver = await start(shape);
    const { client, active, status } = receiver;
    expect(await status()).toEqual([]);
    await client.start([A]);
    expect(await status()).toEqual([A.toString()]);
    const more = shape.isSingle ? [] : [B, C];
    expect(await client.ensureActive([A, ...more])).toEqual({ started: more, already: [A] });
    expect(await status()).toEqual([A, ...more].map(String));
    expect(await client.ensureInactive([A, ...more])).toEqual({ stopped: [A, ...more], already: [] });
    expect(await status()).toEqual([]);
    expect([...active]).toEqual([]);
  });

  it.each(ROWS)("%s: what is active is the same to import", async (_name, shape) => {
    await using receiver = await start(shape);
    receiver.active.add(A.toString());
    if (!shape.isSingle) receiver.active.add(B.toString());
    const folder = await mkdtemp(join(tmpdir(), "packetfilter-shapes-"));
    await writeFile(join(folder, "peers.json"), JSON.stringify({ receiver: { answers: shape.settings } }));
    const args = ["--signaling-url", receiver.url, "--client-id", "c1", "--settings", "peers.json", "--out", "out"];
    const env = { PACKETFILTER_SECRET_KEY: "k3y-canary" };
    const { code, err } = await run(["import", "--signaling", ...args], { folder, env });
    expect(err.replace(/^listing .*/gm, "")).toBe("");
    expect(code).toBe(0);
    const { resources } = JSON.parse(await readFile(join(folder, "out", "import.json"), "utf8"));
    expect(resources[0].inputs.prefixes).toEqual(shape.isSingle ? [String(A)] : [String(A), String(B)]);
    await rm(folder, { recursive: true });
  });

  it.each(ROWS)("%s: what it refuses is an error", async (_name, shape) => {
    await using receiver = await start(shape);
    await receiver.client.start([A]);
    await expect(receiver.client.start([A])).rejects.toThrow(/start failed/);
    await receiver.client.stop([A]);
    await expect(receiver.client.stop([A])).rejects.toThrow(/stop failed/);
  });

  it.each(ROWS.filter(([, { settings }]) => settings))(
    "%s: without its settings what is not known is an error of this receiver, and nothing is misread",
    async (_name, shape) => {
      await using receiver = await start(shape, {});
      for (const held of [[], [A.toString()]]) {
        receiver.active.clear();
        for (const prefix of held) receiver.active.add(prefix);
        const told = await receiver.status();
        if (typeof told === "string") expect(told).not.toMatch(/\bnode\b/);
        else expect(told).toEqual(held);
      }
      receiver.active.clear();
      const failed = await receiver.client.start([A]).catch((error: Error) => error.message);
      if (failed) expect(failed).toMatch(/answers\.(success|read).* of the receiver/);
    },
  );
});
