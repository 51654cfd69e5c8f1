import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { MiniEngine } from "../failures/support/engine";
import { NODE, signaling } from "../failures/support/scenarios";
import { A, B, bench, C, group, URL } from "./support/group-bench";

/** An audit log that is empty yet. */
function log() {
  const folder = mkdtempSync(join(tmpdir(), "packetfilter-audit-"));
  const file = join(folder, "audit.ndjson");
  return {
    file,
    lines: () =>
      readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

const [INSERTED, REMOVED] = [
  { old: null, new: 1 },
  { old: 1, new: null },
];

it("has a line for an entry that is restored, since the commit published its removal", async () => {
  using audit = log();
  await using stack = await bench("n1");
  stack.config.auditLog = audit.file;
  await stack.engine.up([group({ [A]: 1, [B]: 1 }, ["n1"])]);
  const { endpoint } = stack.node("n1");
  const body = JSON.stringify({ url: URL, cmd: "delete", data: [{ a: A }] });
  await fetch(`${endpoint}/fapi`, { method: "POST", headers: { "content-type": "application/json" }, body });
  await stack.engine.up([group({ [A]: 1, [B]: 1, [C]: 1 }, ["n1"])]);
  expect(stack.held().n1).toEqual({ [A]: 1, [B]: 1, [C]: 1 });
  expect(audit.lines()).toMatchObject([
    { prefixes: { [A]: INSERTED, [B]: INSERTED } },
    { node: "n1", set: URL, prefixes: { [A]: INSERTED }, outcome: "applied" },
    { node: "n1", set: URL, prefixes: { [C]: INSERTED }, outcome: "applied" },
  ]);
});

it("has a line for what a change restores that a limit refused", async () => {
  using audit = log();
  await using stack = await bench("n1");
  const all = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`192.0.2.${index}/32`, 1]));
  await stack.engine.up([group(all, ["n1"])]);
  stack.config.auditLog = audit.file;
  stack.config.maxRemovals = 0;
  stack.node("n1").change(URL, { delete: ["192.0.2.29/32"] });
  const left = Object.fromEntries(Object.entries(all).slice(25));
  await stack.engine.up([group(left, ["n1"], { maxRemovals: "100%" })]);
  expect(stack.held().n1).toEqual(all);
  expect(audit.lines()).toMatchObject([
    { node: "n1", prefixes: { "192.0.2.29/32": INSERTED }, outcome: "applied" },
    { node: "n1", prefixes: {}, outcome: expect.stringContaining("packetfilter:maxRemovals") },
  ]);
});

it.each([
  ["applied beside one that the node ignores", { insertExisting: "ignored" }, []],
  ["open, as the commit failed", {}, [{ cmd: "commit", status: 503, times: 100 }]],
] as const)("has the changes of a failed write that are %s, as intended", async (_, dialect, faults) => {
  using audit = log();
  await using stack = await bench("n1");
  await stack.engine.up([group({ [A]: 1, [B]: 1 }, ["n1"])]);
  stack.config.auditLog = audit.file;
  stack.node("n1").setDialect(dialect);
  for (const fault of faults) stack.node("n1").fail(fault);
  const timing = { timeoutMs: 40, deadlineMs: 400 };
  const { errors } = await stack.engine.up([group({ [B]: 2, [C]: 1 }, ["n1"])], { timing });
  expect(errors).toHaveLength(1);
  expect(audit.lines()).toMatchObject([{ prefixes: { [A]: REMOVED, [B]: { old: 1, new: 2 }, [C]: INSERTED } }]);
});

it("has a line for what is restored at another address of the same machine", async () => {
  using audit = log();
  await using stack = await bench("n1");
  const { endpoint } = stack.node("n1");
  stack.config.nodes = { n1: { endpoint }, n2: { endpoint: endpoint.replace("127.0.0.1", "localhost") } };
  stack.config.distinctNodes = true;
  await stack.engine.up([group({ [A]: 1 }, ["n1", "n2"])]);
  stack.config.auditLog = audit.file;
  await stack.engine.up([group({ [A]: 1 }, ["n1"])]);
  expect(stack.held().n1).toEqual({ [A]: 1 });
  expect(audit.lines()).toMatchObject([
    { node: "n2", prefixes: { [A]: REMOVED } },
    { node: "n1", prefixes: { [A]: INSERTED }, outcome: "applied" },
  ]);
});

it("has a line for a signaling that is started again at another address of the same receiver", async () => {
  using audit = log();
  await using emulator = await startEmulator({ state: NODE });
  const { clientId, secretKey } = emulator.clients[0] ?? {};
  const url = emulator.signalingUrl;
  const at = (to: string) => ({ url: to, clientId, secretKey });
  const receivers = { one: at(url), two: at(url.replace("127.0.0.1", "localhost")) };
  const engine = new MiniEngine({ receivers, distinctNodes: true, auditLog: audit.file });
  const attack = (receiver: string) => {
    const declared = signaling(["198.51.100.7"], receiver);
    return { ...declared, args: { ...declared.args, receiver, stops: "all" } };
  };
  await engine.up([attack("one"), attack("two")]);
  await engine.up([attack("one")]);
  expect(emulator.signalings[clientId ?? ""]).toEqual(["198.51.100.7/32"]);
  expect(audit.lines().slice(-2)).toMatchObject([
    { node: "two", set: "signaling", prefixes: { "198.51.100.7/32": REMOVED } },
    { node: "one", set: "signaling", prefixes: { "198.51.100.7/32": INSERTED }, outcome: "applied" },
  ]);
});

it("has a signaling that may run, since no answer to its start was read", async () => {
  using audit = log();
  await using emulator = await startEmulator({ state: NODE });
  const { clientId, secretKey } = emulator.clients[0] ?? {};
  const one = { url: emulator.signalingUrl, clientId, secretKey, timeoutMs: 200, deadlineMs: 600 };
  const engine = new MiniEngine({ receivers: { one }, auditLog: audit.file });
  emulator.fail({ kind: "lost-answer", op: "start", times: 100 });
  emulator.fail({ op: "status", status: 500, times: 100 });
  const { args, ...attack } = signaling(["198.51.100.7"]);
  expect((await engine.up([{ ...attack, args: { ...args, receiver: "one" } }])).errors).toHaveLength(1);
  expect(audit.lines()).toMatchObject([{ set: "signaling", prefixes: { "198.51.100.7/32": INSERTED } }]);
});
