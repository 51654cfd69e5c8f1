import { expect, it } from "vitest";
import { SameMachine } from "../../provider/deployment/same-machine";
import { Notices } from "../../provider/messages/notices";
import type { CanonicalPrefix } from "../../provider/model/prefix";

const SET = "prefixset://edge/blocked";
const PREFIX = "192.0.2.0/24" as CanonicalPrefix;
const GONE = "198.51.100.0/24" as CanonicalPrefix;

/** The set at two addresses, of which the second wants the prefix; what is asked of the second. */
function places(isOneMachine = false) {
  const asked: string[] = [];
  const at = (endpoint: string, desired: readonly CanonicalPrefix[]) => ({
    endpoint,
    place: { url: SET, at: endpoint },
    wantedHere: new Set(desired),
    list: async () => {
      asked.push("list");
      return new Map(isOneMachine ? [] : [[PREFIX, 1]]);
    },
    last: () => new Map([[PREFIX, 1]]),
    restore: async (entries: ReadonlyMap<CanonicalPrefix, unknown>) => {
      asked.push(`restore ${[...entries.keys()]}`);
      return undefined;
    },
  });
  return { here: at("http://192.0.2.10", []), there: at("http://192.0.2.11", [PREFIX]), asked };
}

function machines(areDistinct: boolean, { here, there }: Partial<ReturnType<typeof places>>, byOthers: string[] = []) {
  const warnings: string[] = [];
  const same = new SameMachine(
    new Notices((line) => void warnings.push(line)),
    () => areDistinct,
    () => new Set([PREFIX]),
    () => new Set(byOthers),
  );
  for (const at of [here, there]) if (at) same.register(SET, at);
  return { same, warnings };
}

it.each([
  ["at another address", {}, [], "http://192.0.2.11"],
  ["by another provider process", { there: undefined }, [PREFIX], "the node of another provider of this stack"],
])("what is wanted %s stays, and nothing is asked; with distinctNodes it goes", (_, some, byOthers, where) => {
  const all = places();
  const { same, warnings } = machines(false, { ...all, ...some }, byOthers);
  expect(same.protect(SET, all.here, [PREFIX, GONE])).toEqual(new Set([PREFIX]));
  expect(warnings).toEqual([
    expect.stringContaining(`1 entry stays, since this stack declares the same at ${where}, and the two addresses may`),
  ]);
  expect(machines(true, { ...all, ...some }, byOthers).same.protect(SET, all.here, [PREFIX])).toEqual(new Set());
  expect(all.asked).toEqual([]);
});

it.each([
  [PREFIX, false, ["list"], []],
  [PREFIX, true, ["list", `restore ${PREFIX}`], [expect.stringContaining("the two addresses are one machine.")]],
  [GONE, true, [], []],
])("after a removal of %s, one machine: %s", async (prefix, isOneMachine, asked, warned) => {
  const all = places(isOneMachine);
  const { same, warnings } = machines(true, all);
  await same.after(SET, all.here, new Map([[prefix, 1]]));
  expect([all.asked, warnings]).toEqual([asked, warned]);
});

it("restores by the list of whichever connection has one, where several lead to an address", async () => {
  const all = places(true);
  const { same, warnings } = machines(true, all);
  same.register(SET, { ...all.there, last: () => new Map() });
  await same.after(SET, all.here, new Map([[PREFIX, 1]]));
  expect([all.asked, warnings]).toEqual([
    ["list", `restore ${PREFIX}`],
    [expect.stringContaining("the two addresses are one machine.")],
  ]);
});
