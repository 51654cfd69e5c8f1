import { describe, expect, it } from "vitest";
import type { Fault } from "../../provider/emulator";
import { MiniEngine } from "../failures/support/engine";
import { set, signaling } from "../failures/support/scenarios";
import { stage } from "../failures/support/stage";
import { heldBy, wantedBy } from "../failures/support/truth";
import { ProviderServer } from "./support/provider-server";
import { ServedProcess } from "./support/served-process";

const BEFORE = [set({ "192.0.2.0/25": 1, "192.0.2.128/25": 1 }), signaling(["198.51.100.7"])];
const AFTER = [set({ "192.0.2.128/25": 2, "203.0.113.0/24": 1 }), signaling(["198.51.100.7", "198.51.100.8"])];

/** Starts the real server; at the first request that the fault meets, it is killed. */
const killedAt = (fault: { readonly hits: number }) => async (config: Record<string, unknown>) => {
  const server = await ProviderServer.start(config);
  const watch = setInterval(() => {
    if (fault.hits === 0) return;
    clearInterval(watch);
    server.kill();
  }, 1);
  return new ServedProcess(server);
};

const served = async (config: Record<string, unknown>) => new ServedProcess(await ProviderServer.start(config));

describe("the real server, when", () => {
  const cases: readonly { name: string; fault: Fault; killed?: boolean }[] = [
    { name: "commits fail", fault: { cmd: "commit", status: 503, times: 100 } },
    {
      name: "the answer of a commit is lost, and of all that follows",
      fault: { nth: 4, kind: "lost-answer", times: 100 },
    },
    {
      name: "it is killed before a commit has its effect",
      fault: { cmd: "commit", kind: "silence", when: "before" },
      killed: true,
    },
    { name: "it is killed after a commit had its effect", fault: { cmd: "commit", kind: "silence" }, killed: true },
    { name: "it is killed while signaling starts", fault: { op: "start", kind: "silence" }, killed: true },
  ];

  it.for(cases)("$name, leaves a state from which the next run converges", async ({ fault, killed }) => {
    const { emulator, config } = await stage();
    await using _ = emulator;
    const engine = new MiniEngine(config);
    await engine.up(BEFORE);
    const armed = emulator.fail(fault);
    const impatient = { timeoutMs: killed ? 5_000 : 100, deadlineMs: killed ? 5_000 : 300 };
    const hurt = await engine.up(AFTER, { timing: impatient, start: killed ? killedAt(armed) : served });
    expect(hurt.errors.length).toBeGreaterThan(0);
    emulator.clearFaults();
    const next = await engine.up(AFTER, { start: served });
    expect(next.errors).toEqual([]);
    expect(heldBy(emulator)).toEqual(wantedBy(AFTER));
    expect((await engine.preview(AFTER, { refresh: true })).steps).toEqual([]);
  });
});
