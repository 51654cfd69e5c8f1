import { describe, expect, test } from "vitest";
import { rules } from "../../policies/list";
import { reportsOf } from "./support";

// The examples are what the documentation shows: each must break its rule, and nothing but it.
describe.each(rules.map((rule) => [rule.name, rule] as const))("%s", (name, rule) => {
  test("has an example that breaks it", () => {
    const { config = {}, settings = {}, resources, ...rest } = rule.example;
    const reports = reportsOf(rule, resources, { config: { ...config, rules: { [name]: settings } }, ...rest });
    expect(reports.length).toBeGreaterThan(0);
    for (const { message, level } of reports) {
      expect(message).toContain(`Rule ${name}, configured by `);
      expect(level).toBeUndefined();
    }
  });
});
