import { describe, expect, it } from "vitest";
import { Runtime } from "../../provider/deployment/runtime";
import { dynamicProvider } from "../../provider/engine/dynamic-provider";
import { UNKNOWN } from "../../provider/model/json";
import { PrefixSetEntryHandler } from "../../provider/resources/prefix-set-entry/handler";

const endpoint = "http://192.0.2.10";
const args = { arena: "edge", set: "partners", node: { endpoint }, prefix: "203.0.113.4/32" };
const state = { ...args, url: "prefixset://edge/partners", endpoint };

/** The provider of a new process. */
function provider() {
  const runtime = new Runtime({ env: {}, print: () => {} });
  return dynamicProvider(new PrefixSetEntryHandler(runtime), runtime);
}

describe.each(["prefix", "set", "arena"])("an unknown %s", (argument) => {
  const unknown = { ...args, [argument]: UNKNOWN };

  it("is a replacement in a preview, whose check got it", async () => {
    const entry = provider();
    await entry.check(state, unknown);
    expect(await entry.diff("id", state, unknown)).toEqual({ replaces: [argument] });
  });

  it("decides nothing in an up, where the engine asks what to delete before something else is replaced", async () => {
    const entry = provider();
    await entry.check(state, args);
    expect(await entry.diff("id", state, unknown)).toEqual({});
    expect(await entry.diff("id", state, { ...args, prefix: "203.0.113.5/32" })).toEqual({ replaces: ["prefix"] });
  });
});
