import { describe, expect, test } from "vitest";
import {
  endpointTransport,
  naming,
  prefixLength,
  protectedPrefixes,
  requireReason,
  rules,
  specialPurposeRanges,
} from "../../policies/index";
import { judgeResource } from "../../policies/judge";
import { isResourceRule, type ResourceRule } from "../../policies/rule";
import { settingsOf } from "../../policies/settings";
import { messagesOf, prefixSet, prefixSetEntry, reportsOf, resourceOf, runOf, signaling, UNKNOWN } from "./support";

const short = { entries: { "0.0.0.0/0": 1, "::/0": 1 } };

describe("messages", () => {
  test("name resource, prefix, rule, remedy and where to configure it", () => {
    expect(messagesOf(prefixLength, [prefixSet({ entries: { "0.0.0.0/0": 1 } })])).toEqual([
      'PrefixSet "blocked" (prefixset://edge/blocked): entries with a prefix length that is not allowed (1 of 1): 0.0.0.0/0 (the default route). Write the intended prefixes, or change the limits. Rule prefix-length, configured by `rules.prefix-length` in packetfilter-policies.yaml or by --policy-pack-config.',
    ]);
  });

  test("list the first five offenders and the count", () => {
    const entries = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`203.0.113.${n}/32`, 1]));
    const config = { rules: { "prefix-length": { ipv4: { longest: 24 } } } };
    const [message] = messagesOf(prefixLength, [prefixSet({ entries })], { config });
    expect(message).toContain("(12 of 12): 203.0.113.0/32");
    expect(message).toContain("203.0.113.4/32 (longer than /24) and 7 more.");
    expect(message).not.toContain("203.0.113.5/32");
  });

  test("never hold a value of a node or receiver, or a reason", () => {
    const secret = "hunter2";
    const node = { endpoint: `http://${secret}:${secret}@203.0.113.9/${secret}`, headers: { Authorization: secret } };
    const bad = { arena: "E!", set: "B!", entries: { "0.0.0.0/0": 1, "192.0.2.0/25": 1, "192.0.2.128/25": 1 } };
    const notes = { "0.0.0.0/0": JSON.stringify({ reason: secret, ticket: secret }) };
    const resources = [
      prefixSet({ ...bad, node, notes, maxRemovals: "100%" }),
      prefixSetEntry({ ...bad, node, reason: secret, ticket: secret, prefix: "0.0.0.0/0" }),
      signaling(["0.0.0.0/0"], "attack", {
        receiver: { url: node.endpoint, clientId: secret, secretKey: secret },
        reason: secret,
      }),
    ];
    const config = {
      sets: [{ pattern: "prefixset://**", role: "block" as const, direction: "source" as const }],
      ownedPrefixes: ["192.0.2.0/24"],
    };
    const messages = rules.flatMap((rule) => messagesOf(rule, resources, { config, stack: "prod" }));
    expect(messages.length).toBeGreaterThan(15);
    expect(messages.join("\n")).not.toContain(secret);
  });

  test("count offenders whose prefixes are secret, and name none, not even those of other resources", () => {
    const config = {
      sets: [
        { pattern: "prefixset://*/blocked", role: "block" as const, direction: "source" as const },
        { pattern: "prefixset://*/allowed", role: "allow" as const, direction: "source" as const },
        { pattern: "prefixset://*/victims", role: "block" as const, direction: "destination" as const },
      ],
      ownedPrefixes: ["192.0.2.0/24"],
      rules: { "blast-radius": { level: "mandatory" as const, ipv4Addresses: 1, ownedIpv4Addresses: 1 } },
    };
    const entries = { "192.0.2.0/25": 1, "192.0.2.128/25": 1, "2001:db8::/32": 1, "7.2.0.192.in-addr.arpa": 1 };
    const secretPrefixes = true;
    const resources = [
      prefixSet({ entries, secretPrefixes }),
      prefixSet({ entries, secretPrefixes, set: "victims" }, "victims"),
      prefixSet({ entries: { "192.0.2.0/25": 1 }, set: "allowed" }, "allowed"),
      signaling(["192.0.2.7/32", "10.0.0.0/8"], "attack", { secretPrefixes }),
    ];
    const [message] = messagesOf(protectedPrefixes, resources, { config });
    expect(message).toBe(
      'PrefixSet "blocked" (prefixset://edge/blocked): blocked sources that are your own (2 of 3). Remove them, or block prefixes without your own. Rule protected-prefixes, configured by `managementPrefixes` and `ownedPrefixes` in packetfilter-policies.yaml.',
    );
    const told = rules.flatMap((rule) => messagesOf(rule, resources, { config }));
    expect(told.length).toBeGreaterThan(8);
    const named = told.filter((text) => /192\.0\.2\.|192\.in-addr|10\.0\.0\.0|2001:db8/.test(text));
    expect(named.filter((text) => !text.startsWith('PrefixSet "allowed"'))).toEqual([]);
  });
});

describe("what is not configured", () => {
  const role = "prefixset://edge/blocked: not configured for this set, which has no role";
  test("is said once for a set, with the rules that need it", () => {
    const run = runOf();
    const resources = [prefixSet(), prefixSetEntry(), prefixSet({ set: "partners" }, "partners")];
    const reports = resources.flatMap((one) =>
      rules
        .filter((rule): rule is ResourceRule => isResourceRule(rule) && rule.on.includes(one.kind))
        .flatMap((rule) => judgeResource(rule, resourceOf(one), settingsOf(rule, run.config), run)),
    );
    expect(reports.map(({ level }) => level)).toEqual(["advisory", "advisory"]);
    expect(reports[0]?.message).toContain(role);
    expect(reports[0]?.message).toContain(
      "special-purpose, protected-prefixes, destination-within-owned, require-reason",
    );
    expect(reports[1]?.message).toContain("prefixset://edge/partners: not configured for this set");
  });

  test("fails for a set without a role where `unknownSets` is mandatory, whatever rule finds it", () => {
    const config = { unknownSets: "mandatory" as const };
    const unknown = { message: expect.stringContaining(role), level: "mandatory" };
    for (const rule of [protectedPrefixes, requireReason]) {
      expect(reportsOf(rule, [prefixSet()], { config })).toEqual([unknown]);
    }
    const directed = [{ pattern: "prefixset://*/blocked", role: "block" as const, direction: "source" as const }];
    expect(reportsOf(protectedPrefixes, [prefixSet()], { config: { ...config, sets: directed } })).toEqual([]);
    const emergency = reportsOf(protectedPrefixes, [prefixSet()], { config: { ...config, emergency: "INC-1" } });
    expect(emergency.map(({ level }) => level)).toEqual(["advisory"]);
  });

  test("is said of a direction and of owned prefixes as well", () => {
    const config = { sets: [{ pattern: "prefixset://*/blocked", role: "block" as const }] };
    expect(messagesOf(protectedPrefixes, [prefixSet()], { config })[0]).toContain("which has no direction");
    expect(
      reportsOf(rules.find(({ name }) => name === "signaling-within-owned") as never, [signaling(["198.51.100.7/32"])]),
    ).toEqual([{ level: "advisory", message: expect.stringContaining("`ownedPrefixes`: not configured") }]);
  });

  test("does not count rules that are switched off", () => {
    const config = { rules: { "require-reason": "disabled" as const } };
    expect(messagesOf(specialPurposeRanges, [prefixSet()], { config })[0]).not.toContain("require-reason");
  });
});

describe("what is not known in a preview", () => {
  test("silences one rule for one resource, and that rule says so", () => {
    const config = { sets: [{ pattern: "prefixset://**", role: "block" as const }] };
    const resource = prefixSet({ set: "Bad Set".replace(" ", "_"), entries: UNKNOWN });
    expect(messagesOf(naming, [resource], { config })[0]).toContain('the name of the set, "Bad_Set"');
    expect(reportsOf(prefixLength, [resource], { config })).toEqual([
      {
        level: "advisory",
        urn: expect.stringContaining("::blocked"),
        message:
          'PrefixSet "blocked" (prefixset://edge/Bad_Set): cannot be judged yet, since `entries` is known only in the update, which judges it before it changes the resource. Rule prefix-length.',
      },
    ]);
  });

  test("leaves prefixes judged while notes or values are not known", () => {
    const config = { sets: [{ pattern: "prefixset://**", role: "block" as const }] };
    const resource = prefixSet({ entries: { "0.0.0.0/0": UNKNOWN }, notes: UNKNOWN });
    expect(messagesOf(prefixLength, [resource], { config })[0]).toContain("0.0.0.0/0 (the default route)");
    expect(messagesOf(requireReason, [resource], { config })[0]).toContain("`notes` is known only in the update");
  });

  test("leaves a set with an unknown name to the rules that do not need it", () => {
    const resource = prefixSet({ set: UNKNOWN, node: { endpoint: "http://203.0.113.9" } });
    expect(messagesOf(naming, [resource])[0]).toContain('PrefixSet "blocked": cannot be judged yet, since `set`');
    expect(messagesOf(endpointTransport, [resource])[0]).toContain("reached without TLS");
  });
});

describe("exceptions", () => {
  const exception = { rule: "prefix-length", prefix: "0.0.0.0/0", until: "2026-06-15", reason: "migration" };
  const judged = (exceptions: object[], more: object = {}) =>
    reportsOf(prefixLength, [prefixSet(short)], { config: { exceptions, ...more } as never });

  test("take their prefixes out of a finding, to the end of their day", () => {
    const [report, ...rest] = judged([exception]);
    expect(rest).toEqual([]);
    expect(report?.message).toContain("(1 of 2): ::/0 (the default route).");
    expect(report?.level).toBeUndefined();
  });

  test("are for the rule, the prefixes and the sets that they name", () => {
    expect(judged([{ ...exception, rule: "allowed-values" }])[0]?.message).toContain("(2 of 2)");
    expect(judged([{ ...exception, prefix: "192.0.2.0/24" }])[0]?.message).toContain("(2 of 2)");
    expect(judged([{ ...exception, set: "prefixset://core/**" }])[0]?.message).toContain("(2 of 2)");
    expect(judged([{ ...exception, prefix: undefined, set: "prefixset://edge/*" }])).toEqual([]);
  });

  test("that have ended only warn, and are named: no preview fails because midnight passed", () => {
    const [standing, ended] = judged([{ ...exception, until: "2026-06-14" }]);
    expect(standing?.message).toContain("(1 of 2): ::/0");
    expect(ended?.level).toBe("advisory");
    expect(ended?.message).toContain("(1 of 2): 0.0.0.0/0 (the default route)");
    expect(ended?.message).toContain(
      "The exception for it (migration) ended 2026-06-14: renew or remove it under `exceptions`.",
    );
  });

  test("that have ended fail again where that is configured", () => {
    const reports = judged([{ ...exception, until: "2026-06-14" }], { expiredExceptions: "mandatory" });
    expect(reports).toEqual([{ message: expect.stringContaining("(2 of 2)"), urn: expect.any(String) }]);
  });

  test("set aside a finding without prefixes by set", () => {
    const config = {
      exceptions: [{ rule: "naming", set: "prefixset://edge/*", until: "2026-07-01", reason: "legacy" }],
    };
    expect(messagesOf(naming, [prefixSet({ set: "OLD" })], { config })).toEqual([]);
    expect(messagesOf(naming, [prefixSet({ set: "OLD", arena: "core" })], { config })).toHaveLength(1);
  });
});

test("reasons of the policies file act on no screen and no runner of a CI job", () => {
  const emergency = "::stop-commands::\u001b[2J ##vso[task.complete]\n::error::x";
  const [report] = reportsOf(prefixLength, [prefixSet(short)], { config: { emergency } });
  expect(report?.message).toContain(
    "Emergency ::stop-commands::\\u{1b}[2J #\\u{23}vso[task.complete] ::error::x, mandatory",
  );
  expect(report?.message).not.toMatch(/\n|##/);
});

test.each([{ config: { emergency: "INC-1" } }, { environment: { PACKETFILTER_POLICIES_EMERGENCY: "INC-1" } }])(
  "an emergency makes everything advisory and is named in every message: %j",
  (given) => {
    const reports = reportsOf(prefixLength, [prefixSet(short)], given);
    expect(reports).toEqual([
      {
        level: "advisory",
        urn: expect.any(String),
        message: expect.stringMatching(/^Emergency INC-1, mandatory rules only warn\. /),
      },
    ]);
  },
);
