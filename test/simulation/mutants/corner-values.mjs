// @ts-check
import { mutants } from "./mutant.mjs";

/** Faults that the worlds about values find. */
export const CORNER_VALUES = mutants([
  {
    name: "value-changed-since-the-look",
    promise: 2,
    seed: 329,
    file: "reconcile/set-plan.ts",
    find: "looked ? looked.has(prefix) && looked.get(prefix) === observed.get(prefix) : found?.has(prefix) === true;",
    replace: "looked ? looked.has(prefix) : found?.has(prefix) === true;",
  },
  {
    name: "open-removals-are-no-matter",
    promise: 1,
    seed: 21,
    file: "apply/set-confirmation.ts",
    find: "const open = [...plan.value.put.keys(), ...plan.value.remove].filter((prefix) => maybeStaged.has(prefix));",
    replace: "const open = [...plan.value.put.keys()].filter((prefix) => maybeStaged.has(prefix));",
  },
  {
    name: "unsettled-is-sent-if-it-is-absent",
    promise: 1,
    seed: 21,
    file: "reconcile/set-plan.ts",
    find: "const again = unsettled.size === 0 ? unsettled : new Set([...unsettled].filter((prefix) => !listed.has(prefix)));",
    replace:
      "const again = unsettled.size === 0 ? unsettled : new Set([...unsettled].filter((prefix) => !observed.has(prefix)));",
  },
  {
    name: "refused-value-leaves-the-delete-staged",
    promise: 1,
    seed: 305,
    file: "apply/set-staging.ts",
    find: "await this.restore([prefix]);",
    replace: "",
  },
  {
    name: "ignored-path-of-no-entry",
    promise: 8,
    seed: 1,
    file: "reconcile/ignored.ts",
    find: "if (!isOfState || (isObject(entries) && key in entries)) return undefined;",
    replace: "if (!isOfState || isObject(entries)) return undefined;",
  },
  {
    name: "refresh-makes-loss-a-wish",
    promise: 15,
    seed: 453,
    file: "resources/prefix-set/handler.ts",
    find: "const entries = { ...membersOf(props.entries), ...membersOf(props.lost) };",
    replace: "const entries = membersOf(props.entries);",
  },
  {
    name: "same-loss-twice",
    promise: 15,
    seed: 125,
    file: "engine/dynamic-provider.ts",
    find: "return { [RESTORES]: text === before ? `${text}, again` : text };",
    replace: "return { [RESTORES]: text };",
  },
  {
    name: "listed-zero-is-one",
    promise: 3,
    seed: 41,
    file: "wire/prefix-set-list.ts",
    find: "const value = given === undefined ? DEFAULT_VALUE : readValue(given);",
    replace: "const value = !given ? DEFAULT_VALUE : readValue(given);",
  },
  {
    name: "chunk-without-set",
    promise: 3,
    seed: 89,
    file: "client/equal-nodes.ts",
    find: "const key = JSON.stringify([head, start, limits.entries, limits.bytes]);",
    replace: "const key = JSON.stringify([start, limits.entries, limits.bytes]);",
  },
  {
    name: "blind-run-changes-values",
    promise: 2,
    seed: 117,
    file: "reconcile/set-plan.ts",
    find: "looked ? looked.has(prefix) && looked.get(prefix) === observed.get(prefix) : found?.has(prefix) === true;",
    replace:
      "looked ? looked.has(prefix) && looked.get(prefix) === observed.get(prefix) : found?.has(prefix) !== false;",
  },
]);
