import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { CanonicalPrefix } from "../../provider/model/prefix";
import type { ListedMap } from "../../provider/model/prefix-map";
import { driftOf } from "../../provider/reconcile/drift";
import { planNew, planUpdate } from "../../provider/reconcile/set-plan";
import {
  type Circumstances,
  type Comparison,
  compareSet,
  type Relation,
  RULES,
  relationOf,
  type Verdict,
  verdictOf,
} from "../../provider/reconcile/three-way";
import { root } from "../support/markdown";

type Name = keyof Circumstances;
type Value = number | undefined;
const NAMES: readonly Name[] = [
  ...([
    "declared",
    "expired",
    "noted",
    "blocked",
    "partial",
    "owned",
    "isNew",
    "moved",
    "ignored",
    "unobserved",
  ] as const),
];
const P = "192.0.2.0/24" as CanonicalPrefix;

/** A row of docs/contributing/comparison.md. */
interface Row {
  readonly desired: Value;
  readonly known: Value;
  readonly observed: Value;
  readonly relation: Relation;
  readonly verdict: Verdict;
  readonly unless: readonly (readonly [Name, Verdict])[];
}

const page = readFileSync(join(root, "docs/contributing/comparison.md"), "utf8");
const tables = page
  .split("\n\n")
  .filter((part) => part.startsWith("| "))
  .map((table) =>
    table
      .split("\n")
      .slice(2)
      .filter((line) => line !== "")
      .map((line) =>
        line
          .slice(1, -1)
          .split("|")
          .map((cell) => cell.trim()),
      ),
  );
const parsed = (cell = "") => (cell === "–" ? undefined : "abc".indexOf(cell) + 1);
const rows: readonly Row[] = (tables[0] ?? []).map(([desired, known, observed, relation, verdict, unless = ""]) => ({
  ...{ desired: parsed(desired), known: parsed(known), observed: parsed(observed) },
  relation: relation as Relation,
  verdict: verdict as Verdict,
  unless: unless.split("; ").flatMap((part) => (part === "" ? [] : [part.split(": ") as [Name, Verdict]])),
}));

/** All combinations of these circumstances. */
const combinations = (names: readonly Name[]): Circumstances[] =>
  Array.from({ length: 2 ** names.length }, (_, bits) =>
    Object.fromEntries(names.map((name, index) => [name, Math.floor(bits / 2 ** index) % 2 === 1])),
  );
const expected = ({ verdict, unless }: Row, about: Circumstances): Verdict =>
  unless.find(([name]) => about[name])?.[1] ?? verdict;
const map = (value: Value): ListedMap => new Map(value === undefined ? [] : [[P, value]]);
const only = (is: boolean | undefined) => new Set(is ? [P] : []);
const label = (row: Row, about: Circumstances) =>
  `${row.desired} ${row.known} ${row.observed} ${NAMES.filter((name) => about[name]).join()}`;

it("the page has every combination of absent, equal and other values once, and every circumstance and verdict", () => {
  const values = [undefined, 1, 2, 3];
  const situations = values.flatMap((desired) =>
    values.flatMap((known) =>
      values.map((observed) => {
        const seen = [...new Set([desired, known, observed].filter((value) => value !== undefined))];
        return [desired, known, observed]
          .map((value) => (value === undefined ? "–" : "abc"[seen.indexOf(value)]))
          .join();
      }),
    ),
  );
  const told = (tables[0] ?? []).map((cells) => cells.slice(0, 3).join());
  expect([...told].sort()).toEqual([...new Set(situations)].sort());
  expect((tables[1] ?? []).map(([name]) => name)).toEqual(NAMES);
  const verdicts = new Set(
    Object.values(RULES).flatMap((rule) => rule.map((part) => (typeof part === "string" ? part : part[1]))),
  );
  expect(new Set((tables[2] ?? []).flatMap(([names = ""]) => names.split(", ")))).toEqual(verdicts);
});

it("every row of the page holds under every combination of circumstances", () => {
  const all = combinations(NAMES);
  const wrong = rows.flatMap((row) => {
    const relation = relationOf(row.observed, row.known, row.desired);
    const found = all.filter((about) => verdictOf(relation, about) !== expected(row, about));
    return relation === row.relation ? found.map((about) => label(row, about)) : [`${relation}, not ${row.relation}`];
  });
  expect([rows.length * all.length, wrong]).toEqual([15 * 1024, []]);
});

it("a comparison of whole sets has each prefix under its relation", () => {
  const at = (index: number) => `192.0.2.${index}/32` as CanonicalPrefix;
  const side = (of: "desired" | "known" | "observed"): ListedMap =>
    new Map(rows.flatMap(({ [of]: value }, index) => (value === undefined ? [] : [[at(index), value]])));
  const found = compareSet(side("observed"), side("known"), side("desired"));
  const those = (relation: Relation) => rows.flatMap((row, index) => (row.relation === relation ? [at(index)] : []));
  const relations = Object.keys(RULES).filter((it) => it !== "same" && it !== "absent") as (keyof Comparison)[];
  expect(found).toEqual(Object.fromEntries(relations.map((relation) => [relation, those(relation)])));
});

/** Effect of a plan on the prefix. */
const effect = (plan: ReturnType<typeof planUpdate>["plan"], { desired, observed }: Row) => {
  const isSent = plan.put.has(P) && (desired !== observed || plan.unsettled?.has(P) === true);
  const isDeleted = plan.remove.has(P);
  return {
    does: isSent ? "send" : isDeleted ? "delete" : "nothing",
    isCounted: isDeleted && plan.uncounted?.has(P) !== true,
    isRestored: plan.restored?.has(P) === true,
    isCommitted: plan.listed?.has(P) === true,
  };
};

/** The effect that a verdict stands for. */
const effectOf = (verdict: Verdict, { desired, relation }: Row): ReturnType<typeof effect> => {
  const isDeleted = ["remove", "expire"].includes(verdict) || (verdict === "settle" && desired === undefined);
  const isSent = ["insert", "change", "restore"].includes(verdict) || (verdict === "settle" && relation === "same");
  return {
    does: isSent ? "send" : isDeleted ? "delete" : "nothing",
    isCounted: verdict === "remove",
    isRestored: verdict === "restore",
    isCommitted: relation === "present" && verdict !== "none",
  };
};

it("the plan of an update does what the page says, and so does a look", () => {
  const names = ["declared", "expired", "noted", "blocked", "owned", "moved", "ignored", "unobserved"] as const;
  const wrong = combinations(names).flatMap((some) =>
    rows.flatMap((row) => {
      // What this resource has in its state is no other one's.
      const about = { ...some, owned: some.owned === true && row.known === undefined };
      const [observed, known, desired] = [map(row.observed), map(row.known), map(row.desired)];
      const { plan, otherValue } = planUpdate(observed, {
        ...{ known, desired, unsettled: only(about.noted), moved: about.moved === true },
        // A prefix that the program declares is declared by this resource, too.
        declared: only(about.declared || row.desired !== undefined),
        managed: only(about.owned),
        blocked: about.blocked ? observed : map(undefined),
        withdrawn: about.expired && row.desired === undefined ? observed : map(undefined),
        isOver: () => about.expired === true,
        ignores: () => about.ignored === true,
        observed: about.unobserved ? map(undefined) : observed,
      });
      const verdict = expected(row, about);
      const isRight = JSON.stringify(effect(plan, row)) === JSON.stringify(effectOf(verdict, row));
      const { missing, different, left } = driftOf(observed, known, desired, () => about.ignored === true);
      const isLook = !about.noted && !about.moved && !about.unobserved;
      const isSeen =
        missing.length + different.size > 0 === (verdict === "restore") && left.length > 0 === (verdict === "leave");
      return isRight && otherValue.has(P) === (verdict === "refuse") && (isSeen || !isLook)
        ? []
        : [`${label(row, about)}: ${verdict}, ${JSON.stringify(effect(plan, row))}`];
    }),
  );
  expect(wrong).toEqual([]);
});

it("the plan of a create does what the page says", () => {
  const wrong = combinations(["declared", "expired", "noted", "blocked", "partial", "owned"]).flatMap((some) =>
    rows.flatMap((row) => {
      if (row.known !== undefined) return [];
      const about = { ...some, isNew: true };
      const made = planNew(map(row.observed), {
        ...{
          desired: map(row.desired),
          exclusive: !about.partial,
          managed: only(about.owned),
          sent: only(about.noted),
        },
        declared: only(about.declared || row.desired !== undefined),
        blocked: about.blocked ? map(row.observed) : map(undefined),
        withdrawn: about.expired && row.desired === undefined ? map(row.observed) : map(undefined),
      });
      const verdict = expected(row, about);
      const { isCounted: _, ...found } = effect(made.plan, row);
      const { isCounted: _counted, ...right } = effectOf(verdict, row);
      const isRight = JSON.stringify(found) === JSON.stringify(right);
      const isRefused = made.undeclared.has(P) || made.otherValue.has(P);
      const isTold = isRefused === (verdict === "refuse") && made.shared.includes(P) === (verdict === "take over");
      return isRight && isTold ? [] : [`${label(row, about)}: ${verdict}, ${JSON.stringify(found)}`];
    }),
  );
  expect(wrong).toEqual([]);
});
