import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ResourceValidationPolicy } from "@pulumi/policy";
import { beforeAll, expect, test } from "vitest";
import { parsePolicyConfig, policiesOf, rules } from "../../policies/index";
import { findingJsonSchema } from "../../provider/report";
import { run } from "../commands/support";
import { ask } from "../policies/ask";
import { useFolder } from "../support/folder";
import { publishedJson } from "../support/published-json";

const EMPTY = JSON.stringify({ steps: [], changeSummary: { same: 3 } });
const URN = "urn:pulumi:dev::infra::pulumi-nodejs:dynamic/packetfilter:PrefixSet::blocked";
const START = { rules: 24 };
const FORBIDDEN = {
  policy: "protected-prefixes",
  level: "mandatory",
  urn: URN,
  message: "blocked `sources` @everyone",
};
const ADVICE = { policy: "naming", level: "advisory", message: "the set <b> is not named as agreed" };

const folder = useFolder();
beforeAll(async () => {
  await writeFile(join(folder, "preview.json"), EMPTY);
});

const lines = (...records: object[]) => records.map((one) => `${JSON.stringify(one)}\n`).join("");
const report = async (findings: string, ...args: string[]) => {
  await writeFile(join(folder, "findings.ndjson"), findings);
  return run(["report", "preview.json", "--policies", "findings.ndjson", "--key", "shop", ...args], { folder });
};

test("the published JSON Schema of a line is that of the code", async () => {
  await expect(await publishedJson(findingJsonSchema())).toMatchFileSnapshot(
    "../../schemas/policy-finding.schema.json",
  );
});

test("a report says first what the policies forbid, then what they advise, and nothing in it is markup", async () => {
  expect(await report(lines(START, ADVICE, FORBIDDEN))).toEqual({
    code: 0,
    err: "",
    out: `<!-- pulumi-packetfilter report: shop -->
### Packet filter

No changes. Policies forbid it: 1 finding.

**Policies that forbid it**

- \`protected-prefixes\`: \`blocked 'sources' @everyone\`

**Policies that advise**

- \`naming\`: \`the set <b> is not named as agreed\`
`,
  });
  expect((await report(lines(START, FORBIDDEN), "--output", "text")).out).toBe(
    "No changes. Policies forbid it: 1 finding.\n\nPolicies that forbid it:\n  protected-prefixes: blocked `sources` @everyone\n",
  );
});

test("policies that found nothing are told apart from policies that were not asked or did not start", async () => {
  expect((await report(lines(START))).out).toContain("No changes. No finding of 24 policies.\n");
  expect((await run(["report", "preview.json", "--key", "shop"], { folder })).out).toContain("\nNo changes.\n");
  const empty = await report("");
  expect([empty.code, empty.out]).toEqual([1, ""]);
  expect(empty.err).toContain("The policies did not start: their file is empty.");
});

test("as JSON a report has the findings of each level", async () => {
  const { out } = await report(lines(START, ADVICE, FORBIDDEN), "--output", "json");
  const { level: _, ...forbidden } = FORBIDDEN;
  const { level: __, ...advice } = ADVICE;
  expect(JSON.parse(out).policies).toEqual({ rules: 24, mandatory: [forbidden], advisory: [advice] });
});

test("what is no file of findings ends with 1 and a sentence that quotes nothing of it", async () => {
  const wrong = [
    "words-of-a-secret",
    lines({ ...START, more: "words-of-a-secret" }),
    lines(START, { ...FORBIDDEN, level: "words-of-a-secret" }),
    `${lines(START)}{"policy": "words-of-a-secret"`,
    lines(FORBIDDEN),
  ];
  for (const text of wrong) {
    const { code, out, err } = await report(text);
    expect([code, out], text).toEqual([1, ""]);
    expect(err).toMatch(/^Line [12] of the findings is none that policies\/run writes/);
    expect(err).not.toContain("words-of-a-secret");
  }
  const many = await report(lines(START) + lines(FORBIDDEN).repeat(20_001));
  expect([many.code, many.err]).toEqual([1, expect.stringContaining("more than 20 000 findings")]);
});

test("what policies find is written where PACKETFILTER_POLICIES_REPORT says, once each, with the level of the file", async () => {
  const file = join(folder, "found.ndjson");
  await writeFile(file, "of an earlier run\n");
  const sets = [{ pattern: "prefixset://*/blocked", role: "block" as const, direction: "source" as const }];
  const config = parsePolicyConfig(
    { sets, managementPrefixes: ["192.0.2.0/28"], rules: { naming: "mandatory" } },
    rules,
  );
  const environment = { PACKETFILTER_POLICIES_REPORT: "found.ndjson", PACKETFILTER_PROGRAM_FOLDER: folder };
  const policies = policiesOf(rules, { config, environment });
  const inputs = { arena: "edge", set: "blocked", entries: { "192.0.2.0/24": 1 } };
  for (const set of ["blocked", "blocked", "Partners"]) {
    for (const name of ["protected-prefixes", "naming"])
      ask(policies.find((one) => one.name === name) as ResourceValidationPolicy, { ...inputs, set });
  }
  const { out } = await run(["report", join(folder, "preview.json"), "--policies", file, "--output", "json"], {
    folder,
  });
  const found = (policy: string, message: RegExp) => ({ policy, urn: URN, message: expect.stringMatching(message) });
  expect(JSON.parse(out).policies).toEqual({
    rules: rules.length,
    mandatory: [
      found("protected-prefixes", /192\.0\.2\.0\/24 \(contains the management prefix 192\.0\.2\.0\/28\)/),
      found("naming", /the name of the set, "Partners", does not match/),
    ],
    // About the set, whichever resources it has.
    advisory: [
      {
        policy: "protected-prefixes",
        message: expect.stringMatching(/^prefixset:\/\/edge\/Partners: not configured for this set/),
      },
    ],
  });
});

test("a pack whose configuration is wrong leaves no findings of an earlier run behind", async () => {
  const file = join(folder, "stale.ndjson");
  await writeFile(file, lines(START));
  await writeFile(join(folder, "wrong.yaml"), "sets: everything\n");
  const environment = { PACKETFILTER_POLICIES_REPORT: file, PACKETFILTER_POLICIES: join(folder, "wrong.yaml") };
  expect(() => policiesOf(rules, { environment })).toThrow("is not a valid policy configuration");
  const { code, err } = await run(["report", "preview.json", "--policies", file], { folder });
  expect([code, err]).toEqual([1, expect.stringContaining("The policies did not start")]);
});
