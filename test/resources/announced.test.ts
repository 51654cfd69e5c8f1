import { describe, expect, it } from "vitest";
import { Runtime } from "../../provider/deployment/runtime";
import { startEmulator } from "../../provider/emulator";
import type { Handler } from "../../provider/engine/handler";
import { PrefixSetHandler } from "../../provider/resources/prefix-set/handler";
import { PrefixSetEntryHandler } from "../../provider/resources/prefix-set-entry/handler";

const COALESCE_MS = 30;
const place = { arena: "edge", set: "blocked" };

/** A deployment whose pauses end when the test says so; requests take the time that they take. */
async function bench() {
  const emulator = await startEmulator({ state: { arenas: { edge: { sets: { blocked: {}, other: {} } } } } });
  let now = 0;
  const pauses: { at: number; go: () => void }[] = [];
  const world = {
    monotonic: () => now,
    sleep: (ms: number) => new Promise<void>((go) => pauses.push({ at: now + ms, go })),
  };
  const runtime = new Runtime({ env: {}, print: () => {}, world });
  runtime.configure((key: string) => ({ endpoint: emulator.endpoint, node: { commitCoalesceMs: COALESCE_MS } })[key]);
  return {
    emulator,
    entries: new PrefixSetEntryHandler(runtime),
    sets: new PrefixSetHandler(runtime),
    /** Lets time pass; what ends with it is carried out. */
    pass(ms: number) {
      now += ms;
      for (const pause of pauses.splice(0)) {
        if (pause.at <= now) pause.go();
        else pauses.push(pause);
      }
    },
    async [Symbol.asyncDispose]() {
      await emulator.close();
    },
  };
}

/** Checks a resource as the engine does before its create, and returns the inputs. */
const checked = (handler: Handler, args: Record<string, unknown>) => handler.check({}, args).inputs;
const entry = (prefix: string, value = 1) => ({ ...place, prefix, value });

describe("what is announced", () => {
  it("is what was checked: the first entry waits for two more, and one commit has all", async () => {
    await using provider = await bench();
    const inputs = ["192.0.2.1/32", "192.0.2.2/32", "192.0.2.3/32"].map((prefix) =>
      checked(provider.entries, entry(prefix)),
    );
    const created = [];
    for (const one of inputs) {
      created.push(provider.entries.create(one));
      provider.pass(2 * COALESCE_MS);
    }
    provider.pass(COALESCE_MS);
    await Promise.all(created);
    expect(provider.emulator.requests().map(({ cmd }) => cmd)).toEqual(["list", "insert", "commit", "list"]);
  });

  it("is not what turned out equal: a changed entry among equal ones waits as a lone one does", async () => {
    await using provider = await bench();
    const prefixes = ["192.0.2.1/32", "192.0.2.2/32"];
    const [changed, equal] = prefixes.map((prefix) => checked(provider.entries, entry(prefix, 1)));
    const made = prefixes.map((prefix) => provider.entries.create(entry(prefix)));
    provider.pass(3 * COALESCE_MS);
    const [was, is] = await Promise.all(made);
    checked(provider.entries, { ...changed, value: 2 });
    checked(provider.entries, { ...equal });
    const update = provider.entries.update(was?.id ?? "", was?.outs ?? {}, { ...changed, value: 2 });
    expect(provider.entries.diff(is?.outs ?? {}, equal ?? {})).toEqual({ changes: false });
    provider.pass(COALESCE_MS);
    await update;
    expect(provider.emulator.prefixSet("prefixset://edge/blocked").applied).toEqual({
      "192.0.2.1/32": 2,
      "192.0.2.2/32": 1,
    });
  });

  it("is counted for each set by itself", async () => {
    await using provider = await bench();
    checked(provider.entries, { ...entry("192.0.2.1/32"), set: "other" });
    const set = provider.sets.create(checked(provider.sets, { ...place, entries: { "198.51.100.0/24": 1 } }));
    provider.pass(COALESCE_MS);
    await set;
    expect(provider.emulator.requests({ cmd: "commit" })).toHaveLength(1);
  });

  it("ends with an update that had nothing to send", async () => {
    await using provider = await bench();
    const inputs = checked(provider.entries, entry("192.0.2.1/32"));
    const first = provider.entries.create(inputs);
    provider.pass(COALESCE_MS);
    const { id, outs } = await first;
    await provider.entries.update(id, outs, checked(provider.entries, { ...inputs, reason: "CASE-7" }));
    const second = provider.entries.create(checked(provider.entries, entry("192.0.2.2/32")));
    provider.pass(COALESCE_MS);
    await second;
    expect(provider.emulator.requests({ cmd: "commit" })).toHaveLength(2);
  });
});
