import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeEngine, struct } from "./support/fake-engine";
import { made, Subject } from "./support/subject";

const URL = "Set prefixset://edge/blocked on fra1";
const SET = { arena: "edge", set: "blocked" };
const NODES = { fra1: { endpoint: "http://192.0.2.10" }, same: { endpoint: "http://192.0.2.10" } };

let engine: FakeEngine;
const subject = (type: string, name: string) => new Subject(() => engine, type, name);

beforeEach(async () => {
  engine = await FakeEngine.start();
  const config = struct({ detectDrift: "off", nodes: JSON.stringify(NODES) });
  await engine.call("configure", made(messages.ConfigureRequest, { Args: config }));
});
afterEach(() => engine[Symbol.asyncDispose]());

/** Errors of a resource, as the engine shows them. */
async function wrong(type: string, name: string, args: object): Promise<string[]> {
  const answer = await subject(type, name).check({
    ...SET,
    ...(type !== "PrefixSetGroup" && { node: "fra1" }),
    ...args,
  });
  return answer.getFailuresList().map((failure) => failure.getReason());
}

describe("two resources of the plugin that want one entry", () => {
  it("are refused with both names, whatever names their node has", async () => {
    expect(await wrong("PrefixSetEntry", "scanner", { prefix: "203.0.113.4" })).toEqual([]);
    expect(await wrong("PrefixSetEntry", "again", { prefix: "203.0.113.4/32", node: "same" })).toEqual([
      `${URL.replace("fra1", "same")}: 203.0.113.4/32 is declared by PrefixSetEntry 'again' and by PrefixSetEntry 'scanner': keep one of them.`,
    ]);
    expect(await wrong("PrefixSet", "blocked", { entries: ["192.0.2.0/24"] })).toEqual([
      `${URL}: PrefixSetEntry 'scanner' adds 203.0.113.4/32 to a set that PrefixSet 'blocked' owns as a whole and would remove it from: declare it there instead, or set exclusive: false on 'blocked'.`,
    ]);
    expect(await wrong("PrefixSet", "shared", { entries: ["192.0.2.0/24"], exclusive: false })).toEqual([]);
  });

  it("are found among the nodes of a group, each with entries of its own", async () => {
    const nodes = { fra1: { entries: { "203.0.113.9": 2 } } };
    const group = { entries: ["192.0.2.0/24"], exclusive: false, nodes };
    expect(await wrong("PrefixSetEntry", "scanner", { prefix: "203.0.113.9" })).toEqual([]);
    expect(await wrong("PrefixSetGroup", "everywhere", group)).toEqual([
      `${URL}: 203.0.113.9/32 is declared by PrefixSetGroup 'everywhere' at fra1 and by PrefixSetEntry 'scanner': keep one of them.`,
    ]);
  });

  it("are none where the engine checks one of them again, also with other arguments", async () => {
    const of = { prefix: "203.0.113.4" };
    expect(await wrong("PrefixSetEntry", "scanner", of)).toEqual([]);
    expect(await wrong("PrefixSetEntry", "scanner", of)).toEqual([]);
    expect(await wrong("PrefixSetEntry", "scanner", { prefix: "203.0.113.5" })).toEqual([]);
    expect(await wrong("PrefixSetEntry", "other", of)).toEqual([]);
    const shared = { exclusive: false, entries: ["203.0.113.6", "203.0.113.7"] };
    expect(await wrong("PrefixSet", "blocked", shared)).toEqual([]);
    expect(await wrong("PrefixSet", "blocked", { ...shared, entries: ["203.0.113.6"] })).toEqual([]);
    expect(await wrong("PrefixSetEntry", "other", { prefix: "203.0.113.7" })).toEqual([]);
  });
});
