import { describe, expect, it } from "vitest";
import { Activity } from "../../provider/apply/shared-reads";
import { type Addressed, SameMachine } from "../../provider/deployment/same-machine";
import { Notices } from "../../provider/messages/notices";
import type { CanonicalPrefix } from "../../provider/model/prefix";

const SET = "prefixset://edge/blocked";
const PREFIX = "192.0.2.0/24" as CanonicalPrefix;

/** A set at an address, which this deployment wants to hold the prefix where `isWanted`. */
function place(endpoint: string, prefixes: readonly string[], isWanted: boolean) {
  const lists: string[] = [];
  const activity = new Activity();
  const at: Addressed = {
    endpoint,
    activity,
    title: `Set ${SET} on ${endpoint}`,
    wantedHere: new Set(isWanted ? [PREFIX] : []),
    leavingHere: new Set(),
    list: async () => {
      lists.push(endpoint);
      return new Map(prefixes.map((prefix) => [prefix as CanonicalPrefix, 1]));
    },
    last: () => undefined,
    restore: async () => undefined,
  };
  return { at, activity, lists };
}

/** Addresses of which nothing says that they are machines of their own; of the set, one prefix is wanted. */
function compared(print: (line: string) => void) {
  return new SameMachine(
    new Notices(print),
    () => false,
    () => new Set([PREFIX]),
  );
}

describe("two addresses of a set", () => {
  it("are compared anew while a change is under way, up to three times", async () => {
    const here = place("http://192.0.2.10", [PREFIX, "198.51.100.0/24"], false);
    const there = place("http://192.0.2.11", [PREFIX], true);
    let disturbances = 2;
    const list = there.at.list;
    there.at.list = async () => {
      disturbances -= 1;
      if (disturbances >= 0) await there.activity.during(async () => {});
      return list();
    };
    const warnings: string[] = [];
    const machines = compared((line) => void warnings.push(line));
    machines.register(SET, here.at);
    machines.register(SET, there.at);
    expect(await machines.protect(SET, here.at, [PREFIX])).toEqual(new Set());
    expect(warnings).toEqual([]);
  });

  it("are taken for one machine where no comparison stood still", async () => {
    const here = place("http://192.0.2.10", [PREFIX, "198.51.100.0/24"], false);
    const there = place("http://192.0.2.11", [PREFIX], true);
    const list = there.at.list;
    there.at.list = async () => {
      await there.activity.during(async () => {});
      return list();
    };
    const machines = compared(() => {});
    machines.register(SET, here.at);
    machines.register(SET, there.at);
    expect(await machines.protect(SET, here.at, [PREFIX])).toEqual(new Set([PREFIX]));
    expect(there.lists).toHaveLength(6);
  });

  it.each([
    [false, [PREFIX]],
    [true, []],
  ])("are not compared where another provider process wants it: distinctNodes %s", async (areDistinct, stays) => {
    const here = place("http://192.0.2.10", [PREFIX], false);
    const warnings: string[] = [];
    const wanted = () => new Set([PREFIX]);
    const machines = new SameMachine(
      new Notices((line) => void warnings.push(line)),
      () => areDistinct,
      wanted,
      wanted,
    );
    machines.register(SET, here.at);
    expect(await machines.protect(SET, here.at, [PREFIX])).toEqual(new Set(stays));
    await new Promise((told) => setTimeout(told, 0));
    expect(
      warnings.map((line) => /declares the same at the node of another provider.*distinctNodes/.test(line)),
    ).toEqual(stays.map(() => true));
    expect(here.lists).toEqual([]);
  });

  it("are not asked about a removal of what is wanted nowhere", async () => {
    const others = Array.from({ length: 3 }, (_, index) => place(`http://192.0.2.1${index}`, [PREFIX], true));
    const asked: string[] = [];
    const machines = compared(() => {});
    for (const { at } of others) {
      machines.register(SET, {
        ...at,
        wantedHere: Object.assign(new Set([PREFIX]), { has: (prefix: string) => asked.push(prefix) > 0 }),
        last: () => new Map([[PREFIX, 1]]),
      });
    }
    const [here] = others;
    if (!here) throw new Error("There is no place.");
    const gone = "198.51.100.0/24" as CanonicalPrefix;
    expect(await machines.protect(SET, here.at, [gone])).toEqual(new Set());
    await machines.after(SET, here.at, new Map([[gone, 1]]));
    expect(asked).toEqual([]);
    expect(others.flatMap(({ lists }) => lists)).toEqual([]);
  });
});
