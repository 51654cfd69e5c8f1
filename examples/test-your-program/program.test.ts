import { type Emulator, type RunningProgram, runProgram, startEmulator } from "pulumi-packetfilter/emulator";
import { afterAll, beforeAll, expect, test } from "vitest";

const url = "prefixset://edge/blocked";
const declared = { "192.0.2.0/24": 1, "203.0.113.4/32": 2 };
let emulator: Emulator;
let program: RunningProgram;

beforeAll(async () => {
  emulator = await startEmulator({ state: { arenas: { edge: { sets: { blocked: {} } } } } });
  program = await runProgram(emulator, { workDir: __dirname, stack: "prod" });
}, 60_000);
afterAll(async () => {
  await program?.[Symbol.asyncDispose]();
  await emulator?.close();
});

test("the first up writes the set, in one commit", { timeout: 60_000 }, async () => {
  const { outputs } = await program.up();
  expect(emulator.prefixSet(url).applied).toEqual(declared);
  expect(outputs.held?.value).toBe(2);
  emulator.expectRequests({ cmd: "commit" }, 1);
});

test("a second preview changes nothing", { timeout: 60_000 }, async () => {
  await program.preview({ expectNoChanges: true });
});

test("what another writer changed is restored, though the first commit fails", { timeout: 60_000 }, async () => {
  emulator.change(url, { insert: { "198.51.100.0/24": 1 }, delete: ["192.0.2.0/24"] });
  emulator.fail({ cmd: "commit", status: 503 });
  await program.up({ refresh: true });
  expect(emulator.prefixSet(url).applied).toEqual(declared);
  emulator.expectAllFaultsMet();
});

test("a run that cannot read the node fails, with what the engine printed", { timeout: 60_000 }, async () => {
  emulator.fail({ cmd: "list", status: 403, times: 1_000 });
  await expect(program.up({ refresh: true })).rejects.toThrow("HTTP 403");
  emulator.clearFaults();
});

test("destroy leaves the set empty", { timeout: 60_000 }, async () => {
  await program.destroy();
  expect(emulator.prefixSet(url).applied).toEqual({});
});
