import { expect, it } from "vitest";
import { NodeClient } from "../../provider/client";
import { type Fault, startEmulator } from "../../provider/emulator";
import { GLOBAL, STATE } from "./state";

/** Faults of one request that a client tells at once, and what it says of them. */
const TOLD: [Fault, (node: NodeClient) => Promise<unknown>, object][] = [
  [
    { kind: "unknown-shape", cmd: "list" },
    (node) => node.listPrefixSet(GLOBAL),
    { code: "unexpected-response", tries: 1 },
  ],
  [
    { kind: "full-table", cmd: "insert" },
    (node) => node.insert(GLOBAL, [["192.0.2.0/24", 1]]),
    { outcome: "refused", status: 507 },
  ],
];
it.each(TOLD)("%j is told at once, and not asked again", async (fault, ask, told) => {
  await using emulator = await startEmulator({ state: STATE });
  const node = new NodeClient({ endpoint: emulator.endpoint });
  emulator.fail(fault);
  await expect(ask(node)).rejects.toMatchObject(told);
  expect(emulator.journal).toHaveLength(1);
  await node.close();
});
