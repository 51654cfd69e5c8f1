import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startEmulator } from "../provider/emulator";
import { blocksOf } from "./support/markdown";

test("what was left on a node and a receiver is cleared by the guide's own commands", async () => {
  const sets = { blocked: { "192.0.2.0/24": 1, "203.0.113.0/24": 1 } };
  const profiles = { clean: { prefixes: ["198.51.100.0/24"] }, protected: {} };
  await using emulator = await startEmulator({
    state: { arenas: { edge: { sets, profiles } } },
    dialect: { trailingSlash: "strict" },
  });
  const { clientId = "", secretKey = "" } = emulator.clients[0] ?? {};
  emulator.signal(clientId, { start: ["198.51.100.7"] });
  const blocks = blocksOf("docs/guides/moving-and-retiring-nodes.md").filter(({ tag }) => tag === "run");
  for (const { text } of blocks) {
    const located = text
      .replaceAll("http://192.0.2.10", emulator.endpoint)
      .replaceAll("http://192.0.2.20/path", emulator.signalingUrl);
    const env = { ...process.env, PACKETFILTER_SECRET_KEY: secretKey };
    await promisify(execFile)("sh", ["-ec", located.replaceAll("curl -sS", "curl -sSf")], { env });
  }
  expect(blocks).toHaveLength(2);
  expect(emulator.prefixSet("prefixset://edge/blocked").applied).toEqual({});
  expect(emulator.signalings[clientId] ?? []).toEqual([]);
});
