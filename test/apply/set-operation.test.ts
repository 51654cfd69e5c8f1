import { describe, expect, it } from "vitest";
import { doneByOthers, isNothing, merge, type Planned, type SetPlan } from "../../provider/apply/set-operation";
import { ObservedSet } from "../../provider/client/node-set";
import { Prefix } from "../../provider/model/prefix";

const P = (text: string) => Prefix.parse(text).toString();
const [A, B, C, D] = [P("192.0.2.0/24"), P("198.51.100.0/24"), P("203.0.113.0/24"), P("2001:db8::/32")];
const listed = (...prefixes: string[]) =>
  ObservedSet.of(prefixes.map((text) => ({ prefix: Prefix.parse(text), value: 1, spelling: text })));
const planned = (plan: Partial<SetPlan>, isDelete = false) =>
  ({
    ok: true,
    operation: { plan: () => plan, isDelete },
    value: { put: new Map(), remove: new Set(), ...plan },
  }) as unknown as Planned;

describe("the changes of a group", () => {
  it("are committed though nothing is sent, where the list shows to one of several what it wants", () => {
    const shown = planned({ put: new Map([[A, 1]]), listed: new Set([A]) });
    const other = planned({ put: new Map([[B, 1]]) });
    const changes = merge([shown, other], listed(A, B));
    expect(changes).toEqual({ put: new Map(), remove: new Set(), isShown: true });
    expect(isNothing(changes)).toBe(false);
    expect(isNothing(merge([other], listed(A, B)))).toBe(true);
  });
});

it("what others did is told by kind, without what the group did itself", () => {
  const merged = { put: new Map([[A, 1]]), remove: new Set([B]) };
  const before = new Map([
    [B, 1],
    [C, 1],
  ]);
  expect(
    doneByOthers(
      before,
      new Map([
        [A, 1],
        [C, 1],
      ]),
      merged,
    ),
  ).toBe(undefined);
  expect(doneByOthers(before, before, merged)).toBe(undefined);
  const after = new Map([
    [A, 1],
    [C, 2],
    [D, 1],
  ]);
  expect(doneByOthers(before, after, merged)).toEqual({ inserted: [D], removed: [], changed: [C] });
  expect(doneByOthers(before, new Map([[A, 1]]), merged)).toEqual({ inserted: [], removed: [C], changed: [] });
});
