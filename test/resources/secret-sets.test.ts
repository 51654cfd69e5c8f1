import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type JournalEntry, startEmulator } from "../../provider/emulator";
import { MiniEngine } from "../failures/support/engine";
import { BLOCKED, entry, NODE, set, signaling } from "../failures/support/scenarios";
import { ownPort } from "../support/ports";
import { waves } from "./support/group-bench";

/** Marks that the classes send beside arguments with secret prefixes. */
const SECRET_ENTRIES = { __secret: ["entries"], __lists: "[secret]", secretPrefixes: true };
const SECRET_PREFIXES = { ...SECRET_ENTRIES, __secret: ["prefixes"], started: "[secret]" };
const [OURS, MORE, THEIRS] = ["192.0.2.0/24", "2001:db8:7::/48", "203.0.113.7/32"] as const;
const ANY_PREFIX = /192\.0\.2\.|203\.0\.113\.|198\.51\.100\.|2001:db8/;

const TIMING = { deadlineMs: 500, timeoutMs: 200 };

/** A node and a stack with an audit log, and everything that people get to read of it. */
async function bench(state = NODE, log?: string) {
  const emulator = await startEmulator({ state });
  const folder = await mkdtemp(join(tmpdir(), "packetfilter-secret-sets-"));
  const auditLog = log ?? join(folder, "audit.ndjson");
  const [client] = emulator.clients;
  const engine = new MiniEngine({
    endpoint: emulator.endpoint,
    signalingUrl: emulator.signalingUrl,
    clientId: client?.clientId,
    secretKey: client?.secretKey,
    node: { ...TIMING, commitCoalesceMs: 0 },
    receiver: TIMING,
    auditLog,
  });
  return {
    emulator,
    engine,
    audit: async () =>
      (await readFile(auditLog, "utf8"))
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    /** The state, as far as the engine does not know it for a secret. */
    inTheClear: () =>
      JSON.stringify(
        engine.state.map(({ inputs, outputs }) => [inputs, outputs]),
        (key, value) => (["entries", "notes", "prefixes", "started", "__lists"].includes(key) ? undefined : value),
      ),
    async [Symbol.asyncDispose]() {
      await emulator.close();
      await rm(folder, { recursive: true });
    },
  };
}

const told = ({ errors, printed }: { errors: readonly Error[]; printed: readonly string[] }) =>
  [...errors.map(({ message }) => message), ...printed].join("\n");

describe("a set whose prefixes are secret", () => {
  const secret = (entries: unknown, more = {}) => set(entries, { ...SECRET_ENTRIES, ...more });

  it("names nothing that others put there: not where it is refused, nor adopted, nor removed", async () => {
    await using stack = await bench();
    const { emulator, engine } = stack;
    emulator.change(BLOCKED, { insert: { [THEIRS]: 5 } });
    const refused = await engine.up([secret([OURS])]);
    expect(told(refused)).toContain("already holds 1 entry not declared here: [secret]. Nothing was sent.");
    const adopted = await engine.up([secret([OURS], { onExisting: "adopt" })]);
    expect(told(adopted)).toContain("adopted 1 entry that the program does not declare: [secret].");
    expect(stack.inTheClear()).not.toMatch(ANY_PREFIX);
    const preview = await engine.preview([secret([OURS], { onExisting: "adopt" })]);
    expect(preview.steps).toEqual(["update blocked"]);
    expect(told(preview)).toContain("up removes 1 entry that the program does not declare: [secret].");
    const removed = await engine.up([secret([OURS], { onExisting: "adopt" })]);
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({ [OURS]: 1 });
    emulator.change(BLOCKED, { insert: { [THEIRS]: 5 } });
    const drift = await engine.preview([secret([OURS])], { refresh: true });
    expect(told(drift)).toContain("up removes 1 entry");
    expect([refused, adopted, preview, removed, drift].map(told).join("\n")).not.toMatch(ANY_PREFIX);
    expect(JSON.stringify(await stack.audit())).not.toMatch(ANY_PREFIX);
  });

  it("withholds what the node says about it, and says so with the status", async () => {
    await using stack = await bench();
    const { emulator, engine } = stack;
    emulator.fail({ cmd: "insert", status: 400, message: `overlaps ${THEIRS} and 7.113.0.203.in-addr.arpa`, times: 9 });
    const refused = await engine.up([secret([OURS])]);
    expect(told(refused)).toContain(
      "insert failed (HTTP 400): the answer is withheld, since it may name prefixes that are secret.",
    );
    expect(told(refused)).not.toMatch(ANY_PREFIX);
    expect(told(refused)).not.toContain("in-addr");
    const [record] = await stack.audit();
    expect(record).toMatchObject({ set: BLOCKED, prefixes: {} });
    expect(record.outcome).not.toMatch(ANY_PREFIX);
  });

  it("hides the same in the sentences of an entry beside it whose own prefix is known", async () => {
    await using stack = await bench();
    const { emulator, engine } = stack;
    emulator.change(BLOCKED, { insert: { [THEIRS]: 5 } });
    const beside = [secret([OURS], { exclusive: false }), entry("beside", THEIRS, 1, "blocked")];
    const refused = await engine.up(beside);
    expect(told(refused)).toContain("already holds [secret] with the value 5, not 1.");
    expect(told(refused)).not.toMatch(ANY_PREFIX);
    const elsewhere = await engine.up([entry("elsewhere", OURS, 1), entry("again", THEIRS, 1)]);
    expect(told(elsewhere)).toMatch(/^Set \S+ on \S+: 1 entry was removed with the resource: \[secret\]\.$/);
  });

  it("keeps what a failure left open, and out of sight", async () => {
    await using stack = await bench();
    const { emulator, engine } = stack;
    emulator.fail({ cmd: "commit", status: 500, message: MORE, times: 9 });
    const failed = await engine.up([secret({ [OURS]: 1, [MORE]: 2 })]);
    expect(told(failed)).not.toMatch(ANY_PREFIX);
    expect(stack.inTheClear()).not.toMatch(ANY_PREFIX);
    expect(engine.state[0]?.outputs).toMatchObject({ __lists: { unsettled: [OURS, MORE] } });
    emulator.clearFaults();
    expect(told(await engine.up([secret({ [OURS]: 1, [MORE]: 2 })]))).not.toMatch(ANY_PREFIX);
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({ [OURS]: 1, [MORE]: 2 });
    expect(engine.state[0]?.outputs).toMatchObject({ __lists: "[secret]" });
    expect(await stack.audit()).toMatchObject([
      { prefixes: { "[secret] 1": { old: null }, "[secret] 2": { old: null } } },
      { outcome: "applied", prefixes: { "[secret] 1": { new: "[secret]" }, "[secret] 2": { new: "[secret]" } } },
    ]);
  });

  it("named at another node is another set", async () => {
    await using stack = await bench();
    await using other = await startEmulator({ state: NODE });
    other.change(BLOCKED, { insert: { [THEIRS]: 5 } });
    const there = { ...set([OURS], { node: { endpoint: other.endpoint, deadlineMs: 500 } }, "there") };
    expect(told(await stack.engine.up([secret([MORE]), there]))).toContain(`not declared here: ${THEIRS}`);
  });
});

it("a set whose entries are no secret any more loses the marks with an update", async () => {
  await using stack = await bench();
  const { engine } = stack;
  await engine.up([set({ [OURS]: 1 }, SECRET_ENTRIES)]);
  expect(engine.state[0]?.outputs).toMatchObject({ secretPrefixes: true });
  await engine.up([set({ [OURS]: 1 })]);
  expect(engine.state[0]?.outputs).not.toHaveProperty("secretPrefixes");
});

describe("a signaling whose prefixes are secret", () => {
  const [X, Y] = ["198.51.100.7/32", "198.51.100.8/32"];
  const secret = (prefixes: readonly string[], more = {}) => ({
    ...signaling(prefixes),
    args: { prefixes, ...SECRET_PREFIXES, ...more },
  });

  it("names none of them, nor what the receiver says", async () => {
    await using stack = await bench();
    const { emulator, engine } = stack;
    emulator.fail({ op: "start", status: 400, message: `refused: ${X} and 198.51.100.99`, times: 9 });
    const failed = await engine.up([secret([X])]);
    expect(told(failed)).toContain("start failed (HTTP 400): the answer is withheld");
    emulator.clearFaults();
    const started = await engine.up([secret([X, Y])]);
    emulator.fail({ op: "stop", status: 400, message: `refused: ${Y}, 198.51.100.99`, times: 9 });
    const stuck = await engine.up([secret([X])]);
    expect(told(stuck)).toContain("stop failed (HTTP 400): the answer is withheld");
    expect([failed, started, stuck].map(told).join("\n")).not.toMatch(ANY_PREFIX);
    expect(JSON.stringify(await stack.audit())).not.toMatch(ANY_PREFIX);
    expect(stack.inTheClear()).not.toMatch(ANY_PREFIX);
  });
});

describe("a group whose prefixes are secret", () => {
  it.each(["entries", "nodes"])("shows no drift of a node in the clear (%s), and repairs it", async (name) => {
    await using emulator = await startEmulator({ state: NODE });
    const engine = new MiniEngine({ nodes: { fra1: { endpoint: emulator.endpoint } } });
    const args = { arena: "edge", set: "blocked", entries: [OURS], nodes: { fra1: { entries: { [MORE]: 2 } } } };
    const hidden = { rollout: { waves: [["fra1"]] }, ...SECRET_ENTRIES, __secret: [name] };
    const program = [{ type: "PrefixSetGroup", name: "blocked", args: { ...args, ...hidden } }] as const;
    const inTheClear = () =>
      JSON.stringify(
        engine.state.map(({ inputs, outputs }) => [inputs, outputs]),
        (key, value) => (["entries", "notes", "nodes", "__lists"].includes(key) ? undefined : value),
      );
    expect((await engine.up(program)).errors).toEqual([]);
    emulator.change(BLOCKED, { insert: { [THEIRS]: 5 }, delete: [OURS] });
    const preview = await engine.preview(program, { refresh: true });
    expect(preview.steps).toEqual(["update blocked"]);
    expect(told(preview)).not.toMatch(ANY_PREFIX);
    const refreshed = await engine.refresh();
    expect(told(refreshed)).not.toMatch(ANY_PREFIX);
    expect(engine.state[0]?.outputs.__lists).toMatchObject({ lost: { fra1: { [OURS]: 1 } } });
    expect(inTheClear()).not.toMatch(ANY_PREFIX);
    expect((await engine.up(program)).errors).toEqual([]);
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({ [OURS]: 1, [MORE]: 2 });
    expect(inTheClear()).not.toMatch(ANY_PREFIX);
  });

  it("keeps the reason why a wave did not pass without the refused entry", async () => {
    await using stack = await waves();
    await stack.up({ [OURS]: 1 }, SECRET_ENTRIES);
    stack.node("lab1").setDialect({ maxValue: 255 });
    const { error } = await stack.up({ [OURS]: 1, [THEIRS]: 70_000 }, SECRET_ENTRIES);
    const reason = expect.stringContaining("on lab1: the node refused [secret]; nothing of this resource was changed.");
    expect(error).toEqual(reason);
    expect(stack.outputs().rollout).toMatchObject({ wave: 1, nodes: ["lab1"], reason });
  });

  it("names nothing of the url of a secret check but the node that it asked about", async () => {
    await using stack = await waves();
    stack.doctor.ill.set("lab1", 503);
    const { error } = await stack.up({ [OURS]: 1 }, { __secret: ["rollout"] });
    expect(error).toContain("wave 1 of ");
    expect(error).toContain("did not pass: GET [secret]lab1: HTTP 503");
    expect(error).not.toContain(new URL(stack.doctor.url.replace("{node}", "lab1")).host);
  });

  it("names no server of a secret check that cannot be reached, and no part of its query as it is asked", async () => {
    const server = `127.0.0.1:${await ownPort()}`;
    await using stack = await waves({ check: { url: `http://${server}/{node}?key=a b canary#top` } });
    const { error, printed } = await stack.up({ [OURS]: 1 }, { __secret: ["rollout"] });
    expect(error).toMatch(/wave 1 of .*did not pass: GET \[secret\]lab1/);
    for (const secret of [server, "canary"]) expect([error, ...printed].join("\n")).not.toContain(secret);
  });
});

describe("an audit log that cannot be written", () => {
  it("stops each change before it is sent", async () => {
    await using stack = await bench(NODE, "missing/audit.ndjson");
    for (const one of [set({ [OURS]: 1 }), entry("theirs", THEIRS), signaling(["198.51.100.7"])]) {
      const { errors } = await stack.engine.up([one]);
      expect(errors.map(({ message }) => message)).toEqual([
        expect.stringContaining("the audit log missing/audit.ndjson cannot be written"),
      ]);
    }
    const isChange = ({ cmd, op }: JournalEntry) => /insert|commit|start/.test(`${cmd} ${op}`);
    expect(stack.emulator.journal.filter(isChange)).toEqual([]);
  });

  // A disk that is full once the change is made.
  it("after a change is a warning, and the state has the change", async () => {
    await using stack = await bench(NODE, "/dev/full");
    const made = await stack.engine.up([set({ [OURS]: 1 }), signaling(["198.51.100.7"])]);
    expect(made.errors).toEqual([]);
    expect(made.printed.filter((line) => line.includes("is not in the audit log /dev/full"))).toHaveLength(2);
    expect(stack.emulator.prefixSet(BLOCKED).applied).toEqual({ [OURS]: 1 });
    expect(stack.engine.state).toHaveLength(2);
  });
});
