import type { ComparisonSpec } from "./rule-schema";

/** Tells whether a value is wanted. */
export type ValueTest = (value: number) => boolean;

const tests: Record<string, (operand: number) => ValueTest> = {
  eq: (operand) => (value) => value === operand,
  ne: (operand) => (value) => value !== operand,
  lt: (operand) => (value) => value < operand,
  le: (operand) => (value) => value <= operand,
  gt: (operand) => (value) => value > operand,
  ge: (operand) => (value) => value >= operand,
};

/** A comparison as a function; without one every value is wanted. */
export function compileComparison(spec: ComparisonSpec | undefined): ValueTest {
  if (spec === undefined) return () => true;
  const conditions = typeof spec === "number" ? { eq: spec } : spec;
  const all = Object.entries(conditions).flatMap(([name, operand]) => tests[name]?.(operand as number) ?? []);
  const [first, ...others] = all;
  if (first === undefined) return () => true;
  return others.length === 0 ? first : (value) => all.every((test) => test(value));
}
