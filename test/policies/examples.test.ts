import { describe, expect, test } from "vitest";
import * as policies from "../../policies/index";
import { reportsOf } from "./support";

const { rules } = policies;

// The examples are what the documentation shows: each must break its rule, and nothing but it.
describe.each(rules.map((rule) => [rule.name, rule] as const))("%s", (name, rule) => {
  test("has an example that breaks it", () => {
    const { config = {}, settings = {}, resources, ...rest } = rule.example;
    const reports = reportsOf(rule, resources, { config: { ...config, rules: { [name]: settings } }, ...rest });
    expect(reports.length).toBeGreaterThan(0);
    const puttingBack = resources.map((one) => ({
      ...one,
      inputs: { ...one.inputs, restores: "1 missing entry: 0.0.0.0/0" },
    }));
    expect(reportsOf(rule, puttingBack, { config: { ...config, rules: { [name]: settings } }, ...rest })).toEqual(
      reports,
    );
    for (const { message, level } of reports) {
      expect(message).toContain(`Rule ${name}, configured by `);
      expect(level).toBeUndefined();
    }
  });
});

test("the package exports exactly its rules, by name", () => {
  const named = Object.values(policies).filter((one) => typeof one === "object" && "judge" in one);
  expect(new Set(named)).toEqual(new Set(rules));
  expect(new Set(rules.map(({ name }) => name)).size).toBe(rules.length);
});
