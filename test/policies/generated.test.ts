import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { parsePolicyConfig, rules } from "../../policies/index";
import { configSchema } from "../../policies/pulumi/config-schema";
import { settingsOf } from "../../policies/settings";
import { publishedJson } from "../support/published-json";
import { jsonSchema, renderReadme } from "./render-readme";

// "npx vitest run test/policies/generated.test.ts -u" writes the files anew.
const folder = join(__dirname, "../../policies");
const read = (name: string) => readFileSync(join(folder, name), "utf8");

test("the documentation is what the policies say", async () => {
  const parts = { yaml: read("packetfilter-policies.example.yaml"), policyConfig: read("policy-config.example.json") };
  await expect(renderReadme(rules, parts)).toMatchFileSnapshot(join(folder, "README.md"));
});

test("the JSON schema is that of the configuration", async () => {
  await expect(await publishedJson(jsonSchema(rules))).toMatchFileSnapshot(
    join(folder, "packetfilter-policies.schema.json"),
  );
});

test("the example of a configuration file is a good one", () => {
  expect(parsePolicyConfig(parse(read("packetfilter-policies.example.yaml")), rules).sets).toHaveLength(4);
});

test("the example of a policy configuration is a good one", () => {
  const config = parsePolicyConfig({}, rules);
  for (const [name, value] of Object.entries(
    JSON.parse(read("policy-config.example.json")) as Record<string, object | string>,
  )) {
    const rule = rules.find((one) => one.name === name);
    if (!rule) throw new Error(`There is no rule ${name}`);
    if (typeof value === "string") continue;
    const { enforcementLevel: _, ...settings } = value as { enforcementLevel?: string };
    expect(settingsOf(rule, config, settings)).toMatchObject({});
    expect(Object.keys(configSchema(rule)?.properties ?? {})).toEqual(expect.arrayContaining(Object.keys(settings)));
  }
});

test("every policy has a schema of its settings, without defaults that hide the file's", () => {
  for (const rule of rules) {
    const properties = configSchema(rule)?.properties ?? {};
    expect(Object.keys(properties)).toEqual(Object.keys(rule.config.shape));
    expect(JSON.stringify(properties)).not.toContain('"default"');
    for (const member of Object.values(properties)) expect(member.description).toBeTruthy();
  }
});

test("manifests of the pack have the version of the package", () => {
  const { version } = JSON.parse(read("../package.json"));
  expect(JSON.parse(read("package.json")).version).toBe(version);
  expect(parse(read("PulumiPolicy.yaml"))).toMatchObject({ runtime: "nodejs", version });
});
