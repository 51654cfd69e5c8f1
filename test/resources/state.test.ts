import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { PrefixError } from "../../provider/model/prefix";
import * as signaling from "../../provider/resources/cloud-signaling/state";
import { planCreate } from "../../provider/resources/prefix-set/plan";
import * as set from "../../provider/resources/prefix-set/state";
import * as entry from "../../provider/resources/prefix-set-entry/state";

/** Outputs of a state that version 0.1.0 wrote, by type. */
async function written(type: string): Promise<Record<string, unknown>> {
  const { deployment } = JSON.parse(await readFile("test/e2e/states/0.1.0.json", "utf8"));
  const { outputs } = deployment.resources.find((resource: { type: string }) => resource.type.endsWith(`:${type}`));
  const { __provider: _, ...rest } = outputs;
  return rest;
}

const ENDPOINT = "http://192.0.2.10";

describe("a state of version 0.1.0", () => {
  it("of a PrefixSet is read, and written again as it was", async () => {
    const outputs = await written("PrefixSet");
    const state = set.readState(outputs);
    expect(state).toMatchObject({ exclusive: true, onDestroy: "clear", endpoint: ENDPOINT, unsettled: new Set() });
    expect(set.writeState(state, { entries: state.entries, endpoint: ENDPOINT })).toEqual(outputs);
  });

  it("of a PrefixSetEntry is read, and written again as it was", async () => {
    const outputs = await written("PrefixSetEntry");
    const state = entry.readState(outputs);
    expect(state).toMatchObject({ expired: false, absent: false, endpoint: ENDPOINT, unsettled: new Set() });
    expect(entry.writeState(state, { endpoint: ENDPOINT })).toEqual(outputs);
  });

  it("of a CloudSignaling is read, and written again as it was", async () => {
    const outputs = await written("CloudSignaling");
    const state = signaling.readState(outputs);
    expect(state).toMatchObject({ stops: "started", started: ["198.51.100.7/32"], unsettled: [] });
    const { prefixes, started, endpoint = "" } = state;
    expect(signaling.writeState(state, { prefixes, started, endpoint })).toEqual(outputs);
  });
});

describe("a state that was written by hand", () => {
  const outputs = {
    arena: "edge",
    set: "blocked",
    entries: { "2001:DB8::/32": 7, "192.0.2.1": 1, "198.51.100.0/24": ["many"], "203.0.113.0/24": "many" },
    exclusive: "no",
    onDestroy: 5,
    unsettled: ["203.0.113.4"],
    later: { of: "another version" },
  };

  it("is read as far as possible: other spellings count, other kinds get the default", () => {
    const state = set.readState(outputs);
    expect([...state.entries]).toEqual([
      ["2001:db8::/32", 7],
      ["192.0.2.1/32", 1],
      // As a node may list it, where another writer put it.
      ["203.0.113.0/24", "many"],
    ]);
    expect(state).toMatchObject({ exclusive: true, onDestroy: "clear", unsettled: new Set(["203.0.113.4/32"]) });
  });

  it("keeps what this version does not know", () => {
    const state = set.readState(outputs);
    expect(set.writeState(state, { entries: new Map(), endpoint: ENDPOINT })).toMatchObject({ later: outputs.later });
  });

  it("is refused where a prefix is none, and where it names no set", () => {
    expect(() => set.readState({ ...outputs, entries: { "192.0.2.0/33": 1 } })).toThrow(PrefixError);
    expect(() => set.readState({ ...outputs, set: "" })).toThrow("The set has no valid arena, profile and set.");
  });
});

describe("the plan of a create", () => {
  const { entries: desired } = set.readState({ arena: "edge", set: "blocked", entries: { "192.0.2.0/24": 1 } });
  const { entries: observed } = set.readState({
    arena: "edge",
    set: "blocked",
    entries: { "192.0.2.0/24": 9, "203.0.113.0/24": 4 },
  });
  const intent = {
    label: "Set prefixset://edge/blocked on fra1",
    desired,
    exclusive: true,
    onExisting: "adopt" as const,
    owned: new Set<string>(),
    limits: { forbidden: [], required: [], shortest: { ipv4: 1, ipv6: 1 } },
  };

  it("says itself what it leaves as it is, and says the same when it is asked again", () => {
    const create = planCreate(observed, intent);
    expect(create).toEqual({
      plan: { put: new Map(), remove: new Set() },
      left: new Map([...observed].reverse()),
    });
    expect(planCreate(observed, intent)).toEqual(create);
  });

  it("fails where something foreign is in the way and is not to be adopted", () => {
    expect(() => planCreate(observed, { ...intent, onExisting: "fail" })).toThrow(
      /already holds 1 entry not declared here: 203\.0\.113\.0\/24 and other values of 192\.0\.2\.0\/24 \(9\)/,
    );
  });
});
