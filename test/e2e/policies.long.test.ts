import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { providerText } from "../../provider/engine/provider-text";
import { analyzerOf } from "./support/policy-pack";
import { BLOCKED, mutations, world } from "./support/world";

const PACK = "node_modules/pulumi-packetfilter/policies/run";
const MEANING = `
sets:
  - { pattern: "prefixset://*/blocked", role: block, direction: source }
  - { pattern: "prefixset://*/partners", role: allow, direction: source }
managementPrefixes: [192.0.2.0/28]
ownedPrefixes: [198.51.100.0/24]
rules:
  special-purpose: { allow: ["Documentation (TEST-NET-3)"] }
  require-reason: disabled
  max-lifetime: disabled
`;

function program(sets: Record<string, Record<string, number>>, more = ""): string {
  return Object.entries(sets)
    .map(
      ([set, entries]) =>
        `new pf.PrefixSet("${set}", { arena: "edge", set: "${set}", entries: ${JSON.stringify(entries)}, ${more} });`,
    )
    .join("\n");
}

describe("the policy pack in the real engine", () => {
  it("stops a bad stack in the preview, passes a good one, warns where advisory", async () => {
    await using w = await world({
      program: program({ blocked: { "192.0.2.0/24": 1, "0.0.0.0/0": 1 } }, "shortestPrefix: { ipv4: 0 }"),
    });
    const { emulator, stack } = w;
    await stack.write("packetfilter-policies.yaml", MEANING);

    const bad = await stack.mustFail("preview", "--policy-pack", PACK);
    expect(bad.text).toContain(
      "[mandatory]  protected-prefixes  (pulumi-nodejs:dynamic/packetfilter:PrefixSet: blocked)",
    );
    expect(bad.text).toContain(
      `PrefixSet "blocked" (${BLOCKED}): blocked sources that are your own (2 of 2): 0.0.0.0/0 (contains the management prefix 192.0.2.0/28), 192.0.2.0/24 (contains the management prefix 192.0.2.0/28)`,
    );
    expect(bad.text).toContain("[mandatory]  prefix-length");
    expect(bad.text).toContain("0.0.0.0/0 (the default route)");
    expect(mutations(emulator)).toEqual([]);

    // The same under a type of another name, which the engine gives to the same provider.
    const text = JSON.stringify(providerText("PrefixSet"));
    await stack.program(`
class Thing extends require("@pulumi/pulumi").CustomResource {}
new Thing("pulumi-nodejs:dynamic/other:Thing", "renamed", {
  __provider: ${text}, arena: "edge", set: "blocked", entries: { "0.0.0.0/0": 1 }, shortestPrefix: { ipv4: 0 },
});`);
    const renamed = await stack.mustFail("up", "--yes", "--skip-preview", "--policy-pack", PACK);
    for (const policy of ["foreign-type", "prefix-length"])
      expect(renamed.text).toContain(`[mandatory]  ${policy}  (pulumi-nodejs:dynamic/other:Thing: renamed)`);
    expect(mutations(emulator)).toEqual([]);

    // And under a type of another package, which a program gives to the same provider by a line more.
    await stack.program(`
class Thing extends pulumi.CustomResource {}
const provider = new pulumi.ProviderResource("pulumi-nodejs", "own", { "packetfilter:endpoint": "${emulator.endpoint}" });
new Thing("aws:s3/bucket:Bucket", "bucket", {
  __provider: ${text}, arena: "edge", set: "blocked", entries: { "0.0.0.0/0": 1 }, shortestPrefix: { ipv4: 0 },
}, { provider });`);
    const bucket = await stack.mustFail("up", "--yes", "--skip-preview", "--policy-pack", PACK);
    for (const policy of ["foreign-type", "prefix-length"])
      expect(bucket.text).toContain(`[mandatory]  ${policy}  (aws:s3:Bucket: bucket)`);
    expect(mutations(emulator)).toEqual([]);

    // Nor does the word hide it by which a check that failed is known.
    const unchecked = JSON.stringify(
      'exports.handler=()=>({...require("pulumi-packetfilter/provider").get("PrefixSet"),check:async(_,inputs)=>({inputs})})',
    );
    await stack.program(`
class Thing extends pulumi.CustomResource {}
new Thing("pulumi-nodejs:dynamic/packetfilter:PrefixSet", "hidden", {
  __provider: ${unchecked}, arena: "edge", set: "blocked", entries: { "0.0.0.0/0": 1 }, refusedByCheck: true,
});`);
    const hidden = await stack.mustFail("up", "--yes", "--skip-preview", "--policy-pack", PACK);
    expect(hidden.text).toContain("[mandatory]  readable  (pulumi-nodejs:dynamic/packetfilter:PrefixSet: hidden)");
    expect(mutations(emulator)).toEqual([]);

    await stack.program(program({ blocked: { "203.0.113.0/25": 1 }, partners: { "203.0.113.7/32": 1 } }));
    const good = await stack.must("up", "--yes", "--skip-preview", "--policy-pack", PACK);
    expect(good.text).not.toMatch(/\[(mandatory|advisory)\]/);
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "203.0.113.0/25": 1 });

    // What its own check refuses is as the program wrote it: no policy judges it, and one says so.
    await stack.program(
      `new pf.PrefixSet("blocked", { arena: "edge", set: "blocked", entries: { "192.0.2.0/33": 1, "0.0.0.0/0": { reason: "typo" } } });`,
    );
    const refused = await stack.mustFail("preview", "--policy-pack", PACK);
    expect(refused.text).toContain("192.0.2.0/33");
    expect(refused.text.match(/\[(mandatory|advisory)\] +\S+/g)).toEqual(["[mandatory]  readable"]);
    await stack.program(program({ blocked: { "203.0.113.0/25": 1 }, partners: { "203.0.113.7/32": 1 } }));

    // What is restored is no change of the program, and no policy says anything of it.
    emulator.change(BLOCKED, { delete: ["203.0.113.0/25"] });
    const healed = await stack.must("up", "--yes", "--skip-preview", "--policy-pack", PACK);
    expect(healed.text).toContain(`${BLOCKED} lacks 1 declared entry (203.0.113.0/25): this up restores it.`);
    expect(healed.text).not.toMatch(/\[(mandatory|advisory)\]/);
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "203.0.113.0/25": 1 });

    await stack.program(
      program({ blocked: { "203.0.113.0/25": 1, "203.0.113.128/25": 1 }, partners: { "203.0.113.7/32": 1 } }),
    );
    const warned = await stack.must("preview", "--policy-pack", PACK);
    expect(warned.text).toContain("[advisory]  redundant-prefixes");
    expect(warned.text).toContain("203.0.113.0/24 (for 2 entries)");
  });

  it("sees the whole stack, and keeps levels and exceptions as they are configured", async () => {
    const sets = { blocked: { "203.0.113.0/24": 1 }, partners: { "203.0.113.0/24": 1 } };
    await using w = await world({ program: program(sets) });
    const { stack } = w;
    await stack.write("packetfilter-policies.yaml", MEANING);
    await stack.write("strict.json", '{ "block-allow-conflict": "mandatory" }');

    const conflict = "203.0.113.0/24 (in prefixset://edge/blocked and prefixset://edge/partners)";
    const usual = await stack.must("preview", "--policy-pack", PACK);
    expect(usual.text).toContain(conflict);

    const strict = await stack.mustFail("preview", "--policy-pack", PACK, "--policy-pack-config", "strict.json");
    expect(strict.text).toContain("[mandatory]  block-allow-conflict");

    const exception = (until: string) =>
      `${MEANING}exceptions: [{ rule: block-allow-conflict, prefix: 203.0.113.0/24, until: "${until}", reason: CHG-1 }]\n`;
    await stack.write("packetfilter-policies.yaml", exception("2999-12-31"));
    const excepted = await stack.must(
      "up",
      "--yes",
      "--skip-preview",
      "--policy-pack",
      PACK,
      "--policy-pack-config",
      "strict.json",
    );
    expect(excepted.text).not.toContain(conflict);

    // The exception has ended over night, the stack is the same: the drift preview of the morning passes and says so.
    await stack.write("packetfilter-policies.yaml", exception("2020-01-31"));
    const nightly = ["--refresh", "--expect-no-changes", "--policy-pack", PACK, "--policy-pack-config", "strict.json"];
    const drift = await stack.must("preview", ...nightly);
    expect(drift.text).toContain("[advisory]  expired-exceptions");
    expect(drift.text).toContain("The exception for it (CHG-1) ended 2020-01-31");
  });

  it("puts the organisation's limits into the plan and the state, only where that is wanted", async () => {
    await using w = await world({
      program: program({ blocked: { "203.0.113.0/24": 1 } }, 'forbiddenPrefixes: ["192.0.2.0/24"]'),
    });
    const { stack } = w;
    const config = '{ rails: [{ forbiddenPrefixes: [198.51.100.0/24], maxRemovals: "20%" }] }';
    await stack.write("packetfilter-policies.yaml", `${MEANING}  organisation-rails: ${config}\n`);

    const advised = await stack.must("preview", "--policy-pack", PACK);
    expect(advised.text).toContain("it lacks the organisation's `forbiddenPrefixes`, `maxRemovals`");

    await stack.write(
      "packetfilter-policies.yaml",
      `${MEANING}  organisation-rails: ${config.replace("{", "{ level: remediate,")}\n`,
    );
    const remediated = await stack.must("up", "--yes", "--skip-preview", "--policy-pack", PACK, "--diff");
    expect(remediated.text).toContain("[remediate]  organisation-rails");
    const { blocked } = await stack.state();
    expect(blocked?.inputs).toMatchObject({
      forbiddenPrefixes: ["192.0.2.0/24", "198.51.100.0/24"],
      maxRemovals: "20%",
    });
    expect(blocked?.inputs).toHaveProperty("__provider");

    await stack.must("preview", "--refresh", "--expect-no-changes", "--policy-pack", PACK);

    await stack.program(program({ blocked: { "203.0.113.0/24": 1, "198.51.100.7/32": 1 } }));
    await stack.write("loose.yaml", `rules: { organisation-rails: ${config.replace("{", "{ level: remediate,")} }\n`);
    stack.environment({ PACKETFILTER_POLICIES: "loose.yaml" });
    const forbidden = await stack.mustFail("preview", "--policy-pack", PACK);
    expect(forbidden.text).toContain("198.51.100.7/32 (overlaps 198.51.100.0/24)");
    expect(forbidden.text).toContain("not configured for this set, which has no role");
  });

  it("starts as a folder the way the official language host starts it", async () => {
    const folder = resolve(__dirname, "../../policies");
    await using pack = await analyzerOf(folder);
    const info = await pack.info();
    expect(info).toMatchObject({ name: "pulumi-packetfilter", supportsconfig: true });
    expect(info.policiesList.map(({ name }) => name)).toContain("prefix-length");
    const lengths = info.policiesList.find(({ name }) => name === "prefix-length");
    expect(lengths?.configschema?.properties).toBeTruthy();
  });
});
