import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { loadPolicyConfig, PolicyConfigError, parsePolicyConfig, prefixLength, rules } from "../../policies/index";
import { binds, bindsSet } from "../../policies/pattern";
import { levelOf, settingsOf } from "../../policies/settings";
import { matches } from "../../provider/model/wildcard";
import { useEmptyFolder } from "../support/folder";

function issuesOf(read: () => unknown): string[] {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(PolicyConfigError);
    return (error as PolicyConfigError).issues.map(({ path, message }) => `${path}: ${message}`);
  }
  return [];
}

describe("a configuration", () => {
  const good = {
    sets: [{ pattern: "prefixset://*/blocked*", role: "block", direction: "source" }],
    ownedPrefixes: ["198.51.100.0/24"],
    exceptions: [{ rule: "naming", set: "prefixset://edge/OLD", until: "2026-12-31", reason: "legacy" }],
    rules: { naming: "disabled", "signaling-count": { level: "mandatory", limit: 10 } },
  };
  test("that is good has no issues", () => expect(issuesOf(() => parsePolicyConfig(good as never, rules))).toEqual([]));
  test.each<[string, object, string]>([
    ["a role that is none", { sets: [{ pattern: "prefixset://x/y", role: "deny" }] }, "sets[0].role: "],
    [
      "a pattern for no set",
      { sets: [{ pattern: "blocked", role: "block" }] },
      'sets[0].pattern: a pattern for sets begins with "prefixset://"',
    ],
    [
      "host bits",
      { ownedPrefixes: ["198.51.100.1/24"] },
      'ownedPrefixes[0]: "198.51.100.1/24" has host bits set: write "198.51.100.0/24"',
    ],
    ["an unknown member", { owned: [] }, 'Unrecognized key: "owned"'],
    ["an unknown rule", { rules: { "prefix-lenght": "advisory" } }, 'rules: Unrecognized key: "prefix-lenght"'],
    ["an unknown level", { rules: { naming: "warn" } }, "rules.naming: "],
    [
      "an unknown setting",
      { rules: { "signaling-count": { max: 3 } } },
      'rules["signaling-count"]: Unrecognized key: "max"',
    ],
    ["a bad setting", { rules: { "signaling-count": { limit: 0 } } }, 'rules["signaling-count"].limit: '],
    [
      "a bad length of time",
      { rules: { "max-lifetime": { longest: "a month" } } },
      'rules["max-lifetime"].longest: "a month" is not a length of time: write 12h or 30d',
    ],
    [
      "an exception from no rule",
      { exceptions: [{ ...good.exceptions[0], rule: "nameing" }] },
      'exceptions[0].rule: there is no rule "nameing": there are foreign-type, readable, prefix-length, ',
    ],
    [
      "an exception for everything",
      { exceptions: [{ rule: "naming", until: "2026-12-31", reason: "x" }] },
      "exceptions[0]: an exception is for a `prefix`",
    ],
    ...(["prefix", "set"] as const).map((member): [string, object, string] => [
      `an exception by ${member} from a rule whose findings have none`,
      {
        exceptions: [
          { ...good.exceptions[0], rule: "blast-radius", [member]: { prefix: "::/0", set: "prefixset://**" }[member] },
        ],
      },
      `exceptions[0].${member}: no finding of blast-radius is about one ${member}: write its level or settings under \`rules\``,
    ]),
    [
      "an exception without an end",
      { exceptions: [{ ...good.exceptions[0], until: "2026-02-31" }] },
      'exceptions[0].until: "2026-02-31" is not a date: write 2026-12-31',
    ],
    [
      "a pattern for what no set is",
      { sets: [{ pattern: "prefixset://edge", role: "block" }] },
      "sets[0].pattern: matches no set",
    ],
    [
      "a pattern with a character that no name has",
      { sets: [{ pattern: "prefixset://*/bl?cked", role: "block" }] },
      'sets[0].pattern: contains "?", which no name has: only `*` and `**` stand for other characters',
    ],
    ["a pattern for what no stack is", { productionStacks: ["prod?"] }, "productionStacks[0]: matches no stack"],
    ...["http://node", "node:8080", "node/path", "*.example.net", "[2001:db8::1]", ""].map(
      (host): [string, object, string] => [
        `a host ${JSON.stringify(host)}`,
        { rules: { "endpoint-transport": { hosts: ["node.example.net", "2001:db8::1", "192.0.2.1", host] } } },
        'rules["endpoint-transport"].hosts[3]: is not the host of an address: write node.example.net, without scheme, port, path or "*"',
      ],
    ),
    ["an emergency without a name", { emergency: " " }, "emergency: is empty"],
    [
      "lengths that allow none",
      { rules: { "prefix-length": { ipv4: { shortest: 24, longest: 16 } } } },
      'rules["prefix-length"].ipv4: allows no length',
    ],
    [
      "a date in words",
      { exceptions: [{ ...good.exceptions[0], until: "soon" }] },
      'exceptions[0].until: "soon" is not a date: write 2026-12-31',
    ],
  ])("with %s is refused with its path", (_, change, issue) => {
    const issues = issuesOf(() => parsePolicyConfig({ ...good, ...change } as never, rules));
    expect(issues.join("\n")).toContain(issue);
  });

  test("gives levels and settings, under those of the command line", () => {
    const config = parsePolicyConfig(good as never, rules);
    const [naming, signalingCount] = ["naming", "signaling-count"].map((name) =>
      rules.find((rule) => rule.name === name),
    ) as [never, never];
    expect(levelOf(naming, config)).toBe("disabled");
    expect(levelOf(signalingCount, config)).toBe("mandatory");
    expect(levelOf(prefixLength, config)).toBe("mandatory");
    expect(settingsOf(signalingCount, config)).toEqual({ limit: 10 });
    expect(settingsOf(signalingCount, config, { limit: 7 })).toEqual({ limit: 7 });
    expect(issuesOf(() => settingsOf(signalingCount, config, { limit: "many" }))).toEqual([
      expect.stringMatching(/^limit: /),
    ]);
  });

  test("has a member replaced as a whole by that of the command line, as the engine joins configurations", () => {
    const both = { ipv4: { shortest: 16, longest: 28 }, ipv6: { shortest: 40, longest: 64 } };
    const config = parsePolicyConfig({ rules: { "prefix-length": both } } as never, rules);
    expect(settingsOf(prefixLength, config)).toMatchObject(both);
    const { ipv4, ipv6 } = settingsOf(prefixLength, config, { ipv4: { shortest: 20 } }) as typeof both;
    expect([ipv4, ipv6]).toEqual([{ shortest: 20 }, both.ipv6]);
  });
});

describe("the configuration file", () => {
  const folder = useEmptyFolder();
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  const emergencyIn = (options: { folder: string; environment?: Record<string, string> }) =>
    loadPolicyConfig(rules, { environment: {}, ...options }).emergency;

  test("may be absent: then defaults count", () => {
    write("Pulumi.yaml", "name: infra\n");
    expect(loadPolicyConfig(rules, { environment: {}, folder })).toMatchObject({
      sets: [],
      productionStacks: ["prod", "prod-*", "production"],
    });
  });
  test("is found in the program's folder from the folder of the installed pack", () => {
    write("Pulumi.yaml", "name: infra\n");
    write("packetfilter-policies.yaml", "emergency: found\n");
    const pack = join(folder, "node_modules", "pulumi-packetfilter", "policies");
    mkdirSync(pack, { recursive: true });
    expect(emergencyIn({ folder: pack })).toBe("found");
  });
  test("is found where the command was typed, when the pack is installed elsewhere", () => {
    write("program/Pulumi.yaml", "name: infra\n");
    write("program/packetfilter-policies.yaml", "emergency: found\n");
    mkdirSync(join(folder, "pack"));
    expect(emergencyIn({ folder: join(folder, "pack"), environment: { PWD: join(folder, "program") } })).toBe("found");
    expect(
      emergencyIn({
        folder: join(folder, "pack"),
        environment: { PACKETFILTER_PROGRAM_FOLDER: join(folder, "program") },
      }),
    ).toBe("found");
  });
  test("may end in .yml; two of them are refused, since only one can hold", () => {
    write("Pulumi.yaml", "name: infra\n");
    write("packetfilter-policies.yml", "emergency: found\n");
    expect(emergencyIn({ folder })).toBe("found");
    write("packetfilter-policies.yaml", "emergency: other\n");
    expect(issuesOf(() => loadPolicyConfig(rules, { environment: {}, folder }))).toEqual([
      ": packetfilter-policies.yml is in the same folder, and only one file can apply: merge them into packetfilter-policies.yaml",
    ]);
  });
  test("of another program does not count, nor one above the program", () => {
    write("packetfilter-policies.yaml", "emergency: above\n");
    write("other/Pulumi.yaml", "name: other\n");
    write("other/packetfilter-policies.yaml", "emergency: other\n");
    write("program/Pulumi.yaml", "name: infra\n");
    const environment = { PWD: join(folder, "other"), PULUMI_NODEJS_PROJECT: "infra" };
    expect(emergencyIn({ folder: join(folder, "program"), environment })).toBeUndefined();
  });
  test("is the one that PACKETFILTER_POLICIES names, from the program's folder", () => {
    write("packetfilter-policies.yaml", "emergency: usual\n");
    write("config/strict.yaml", "emergency: named\n");
    const environment = { PACKETFILTER_POLICIES: "config/strict.yaml", PACKETFILTER_PROGRAM_FOLDER: folder };
    expect(emergencyIn({ folder: "/", environment })).toBe("named");
    expect(() => emergencyIn({ folder, environment: { PACKETFILTER_POLICIES: "gone.yaml" } })).toThrow(
      /gone\.yaml is not a valid policy configuration:\n {2}- cannot be read/,
    );
  });
  test("that is no YAML, or not ours, is refused with its name and path", () => {
    write("packetfilter-policies.yaml", "sets: [\n");
    expect(() => emergencyIn({ folder })).toThrow(
      /packetfilter-policies\.yaml is not a valid policy configuration:\n {2}- is not YAML/,
    );
    write("packetfilter-policies.yaml", "sets:\n  - pattern: prefixset://edge/x\n    role: deny\n");
    expect(() => emergencyIn({ folder })).toThrow(/ {2}- sets\[0\]\.role: /);
  });
});

test("wildcards match what an expression would", () => {
  const letters = fc.array(fc.constantFrom("a", "b", "/"), { maxLength: 8 }).map((all) => all.join(""));
  const wild = fc.array(fc.constantFrom("a", "b", "/", "*", "**"), { maxLength: 8 }).map((all) => all.join(""));
  fc.assert(
    fc.property(wild, letters, (pattern, text) => {
      const source = pattern.replace(/\*\*|\*/g, (stars) => (stars === "*" ? "[^/]*" : ".*"));
      expect(matches(pattern, text)).toBe(new RegExp(`^${source}$`).test(text));
    }),
    { numRuns: 2_000 },
  );
});

test("a pattern of very many wildcards ends", () => {
  const text = `prefixset://edge/${"a".repeat(255)}`;
  expect(matches(`prefixset://${"*a".repeat(100)}b`, text)).toBe(false);
  expect(matches(`prefixset://${"**a".repeat(100)}b`, text)).toBe(false);
});

test("what binds is compared regardless of case and accents, what lifts a rule to the letter", () => {
  const [composed, decomposed] = ["caf\u00e9", "cafe\u0301"];
  expect(binds("prefixset://*/blocked", "prefixset://Edge/BLOCKED")).toBe(true);
  expect(binds(`prefixset://edge/${composed}`, `prefixset://edge/${decomposed}`)).toBe(true);
  expect(matches("prefixset://*/blocked", "prefixset://edge/BLOCKED")).toBe(false);
});

test("a pattern for sets of arenas binds local sets of that name, one for local sets no other", () => {
  expect(bindsSet("prefixset://*/blocked", "prefixset://edge/web/Blocked")).toBe(true);
  expect(bindsSet("prefixset://*/web/blocked", "prefixset://edge/blocked")).toBe(false);
  expect(bindsSet("prefixset://*/web", "prefixset://edge/web/blocked")).toBe(false);
});
