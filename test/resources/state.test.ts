import { describe, expect, it } from "vitest";
import { PrefixError } from "../../provider/model/prefix";
import * as signaling from "../../provider/resources/cloud-signaling/state";
import * as set from "../../provider/resources/prefix-set/state";
import * as entry from "../../provider/resources/prefix-set-entry/state";

const ENDPOINT = "http://192.0.2.10";

describe("a state that was written by hand", () => {
  const outputs = {
    arena: "edge",
    set: "blocked",
    entries: { "2001:DB8::/32": 7, "192.0.2.1": 1, "203.0.113.0/24": "many" },
    unsettled: ["203.0.113.4"],
    later: { of: "another version" },
  };

  it("is read in other spellings, with the default of what is missing", () => {
    const state = set.readState(outputs);
    expect([...state.entries]).toEqual([
      ["2001:db8::/32", 7],
      ["192.0.2.1/32", 1],
      // As a node may list it, where another writer put it.
      ["203.0.113.0/24", "many"],
    ]);
    expect(state).toMatchObject({ exclusive: true, onDestroy: "remove", unsettled: new Set(["203.0.113.4/32"]) });
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

describe("a state of a newer version", () => {
  const place = { arena: "edge", set: "blocked", endpoint: ENDPOINT };
  const argument = (name: string) =>
    ` Nothing was sent. Use the version of the package that wrote it, or a newer one; or give ${name} in the program and run pulumi up without --refresh.`;
  const output = " Nothing was sent. Use the version of the package that wrote it, or a newer one.";
  const whole = { ...place, entries: { "192.0.2.0/24": 1 } };
  const single = { ...place, prefix: "192.0.2.0/24" };
  const signals = { endpoint: ENDPOINT, prefixes: ["198.51.100.7/32"], started: [] };
  const SET = "The state of PrefixSet prefixset://edge/blocked";
  const ENTRY = "The state of PrefixSetEntry prefixset://edge/blocked#192.0.2.0/24";
  const SIGNALING = "The state of CloudSignaling at http://192.0.2.10";

  it.each([
    [
      set.readState,
      { ...whole, onDestroy: "detach" },
      `${SET}: onDestroy is "detach", which is not one of "remove", "keep", "created".${argument("onDestroy")}`,
    ],
    [
      set.readState,
      { ...whole, onExisting: "merge" },
      `${SET}: onExisting is "merge", which is neither "fail" nor "adopt".${argument("onExisting")}`,
    ],
    [
      set.readState,
      { ...whole, exclusive: "no" },
      `${SET}: exclusive is "no", which is neither true nor false.${argument("exclusive")}`,
    ],
    [
      set.readState,
      { ...whole, entries: { "192.0.2.0/24": ["many"] } },
      `${SET}: entries["192.0.2.0/24"] is an array, which is neither a number nor a text.${output}`,
    ],
    [
      set.readState,
      { ...whole, entries: ["192.0.2.0/24"] },
      `${SET}: entries is an array, which is not an object.${output}`,
    ],
    [
      set.readState,
      { ...whole, notes: { "192.0.2.0/24": 5 } },
      `${SET}: notes["192.0.2.0/24"] is 5, which is not a text.${output}`,
    ],
    [
      set.readState,
      { ...whole, unsettled: { "192.0.2.0/24": 1 } },
      `${SET}: unsettled is an object, which is not a list of texts.${output}`,
    ],
    [set.readState, { ...whole, found: [5] }, `${SET}: found is an array, which is not a list of texts.${output}`],
    [set.readState, { ...whole, endpoint: 5 }, `${SET}: endpoint is 5, which is not a text.${output}`],
    [
      entry.readState,
      { ...single, onDestroy: "detach" },
      `${ENTRY}: onDestroy is "detach", which is not one of "remove", "keep", "created".${argument("onDestroy")}`,
    ],
    [
      entry.readState,
      { ...single, value: { of: 5 } },
      `${ENTRY}: value is an object, which is neither a number nor a text.${output}`,
    ],
    [
      entry.readState,
      { ...single, existed: "perhaps" },
      `${ENTRY}: existed is "perhaps", which is neither true nor false.${output}`,
    ],
    [
      signaling.readState,
      { ...signals, stops: "managed" },
      `${SIGNALING}: stops is "managed", which is not one of "started", "all", "none".${argument("stops")}`,
    ],
    [
      signaling.readState,
      { ...signals, started: "all" },
      `${SIGNALING}: started is "all", which is not a list of texts.${output}`,
    ],
  ])("is refused by name with the way out: %o", (read: (json: Record<string, unknown>) => unknown, json, message) => {
    expect(() => read(json)).toThrow(new Error(message));
  });

  it("does not stand in the way of an update that gives what this version cannot read anew", () => {
    expect(set.readReplaced({ ...whole, onDestroy: "detach", exclusive: "no" }).entries).toEqual(
      new Map([["192.0.2.0/24", 1]]),
    );
    expect(entry.readReplaced({ ...single, onDestroy: "detach" }).prefix).toBe("192.0.2.0/24");
    expect(signaling.readReplaced({ ...signals, stops: "managed" }).prefixes).toEqual(["198.51.100.7/32"]);
    const existed = { ...single, onDestroy: "detach", existed: "perhaps" };
    expect(() => entry.readReplaced(existed)).toThrow(/existed is "perhaps"/);
  });
});
