import { describe, expect, test } from "vitest";
import { allowedValues, maxLifetime, naming, requireReason } from "../../policies/index";
import { messagesOf, NOW, prefixSet, prefixSetEntry, UNKNOWN } from "./support";

const sets = [
  { pattern: "prefixset://*/blocked", role: "block" },
  { pattern: "prefixset://*/bogons", role: "block" },
  { pattern: "prefixset://*/partners", role: "allow" },
] as const;
const configured = (rule?: string, settings?: object) => ({
  config: { sets: [...sets], ...(rule && { rules: { [rule]: settings } }) } as never,
});
const noted = (note: object | undefined, set = "blocked") =>
  prefixSet({ set, ...(note && { notes: { "203.0.113.0/24": JSON.stringify(note) } }) });

describe("require-reason", () => {
  test("an entry with a reason passes", () => {
    expect(messagesOf(requireReason, [noted({ reason: "SYN flood" })], configured())).toEqual([]);
  });
  test("one without is named", () => {
    expect(messagesOf(requireReason, [noted(undefined)], configured())[0]).toContain(
      "entries without a reason (1 of 1): 203.0.113.0/24",
    );
  });
  test("a blank is no reason", () => {
    expect(messagesOf(requireReason, [noted({ reason: "  " })], configured())).toHaveLength(1);
  });
  test("a ticket is wanted where it is configured", () => {
    const strict = configured("require-reason", { ticket: true });
    expect(messagesOf(requireReason, [noted({ reason: "SYN flood" })], strict)).toHaveLength(1);
    expect(messagesOf(requireReason, [noted({ reason: "SYN flood", ticket: "INC-1" })], strict)).toEqual([]);
  });
  test("other roles and excepted sets are not judged", () => {
    const except = configured("require-reason", { except: ["prefixset://*/bogons"] });
    expect(messagesOf(requireReason, [noted(undefined, "partners"), noted(undefined, "bogons")], except)).toEqual([]);
  });
  test("a single entry has its reason among its own properties", () => {
    expect(messagesOf(requireReason, [prefixSetEntry({ reason: "scanner" })], configured())).toEqual([]);
    expect(messagesOf(requireReason, [prefixSetEntry()], configured())).toHaveLength(1);
  });
});

describe("max-lifetime", () => {
  const inDays = (days: number) => new Date(NOW.getTime() + days * 86_400_000).toISOString();
  test("an entry that ends soon enough passes, today and on every later day", () => {
    const resource = noted({ expires: inDays(90) });
    expect(messagesOf(maxLifetime, [resource], configured())).toEqual([]);
    for (const days of [1, 60, 89, 400]) {
      const now = new Date(NOW.getTime() + days * 86_400_000);
      expect(messagesOf(maxLifetime, [resource], { ...configured(), now })).toEqual([]);
    }
  });
  test("one that ends later is named with its end", () => {
    expect(messagesOf(maxLifetime, [noted({ expires: inDays(91) })], configured())[0]).toContain(
      `entries that do not expire within 90d (1 of 1): 203.0.113.0/24 (expires ${inDays(91)})`,
    );
  });
  test("one that never ends is named", () => {
    expect(messagesOf(maxLifetime, [noted(undefined)], configured())[0]).toContain("203.0.113.0/24 (never expires)");
  });
  test("the longest lifetime is configured", () => {
    const short = configured("max-lifetime", { longest: "12h" });
    expect(messagesOf(maxLifetime, [noted({ expires: inDays(1) })], short)[0]).toContain("within 12h");
  });
});

describe("allowed-values", () => {
  const allowed = configured("allowed-values", {
    allowed: [
      { stack: "prod*", values: [1, 2] },
      { set: "prefixset://edge/partners", values: [9] },
    ],
  });
  test("every value passes without configuration", () => {
    expect(messagesOf(allowedValues, [prefixSet({ entries: { "203.0.113.0/24": 4_294_967_295 } })])).toEqual([]);
  });
  test("a value that is not listed for the stack is named", () => {
    const resource = prefixSet({ entries: { "203.0.113.0/24": 1, "192.0.2.0/24": 3 } });
    expect(messagesOf(allowedValues, [resource], { ...allowed, stack: "prod-eu" })[0]).toContain(
      "entries with a value other than 1, 2 (1 of 2): 192.0.2.0/24 (value 3)",
    );
    expect(messagesOf(allowedValues, [resource], { ...allowed, stack: "dev" })).toEqual([]);
  });
  test("known values are judged though others are not known yet, which is said", () => {
    const resource = prefixSet({ entries: { "203.0.113.0/24": UNKNOWN, "192.0.2.0/24": 3 } });
    const found = messagesOf(allowedValues, [resource], { ...allowed, stack: "prod" });
    expect(found).toHaveLength(2);
    expect(found[0]).toContain("192.0.2.0/24 (value 3)");
    expect(found[1]).toContain("`value` is known only in the update");
  });
});

describe("naming", () => {
  test("lower-case names pass", () => expect(messagesOf(naming, [prefixSet({ profile: "web-1" })])).toEqual([]));
  test.each(["arena", "profile", "set"])("a bad %s is named", (part) => {
    expect(messagesOf(naming, [prefixSet({ [part]: "Web_ÄX" })])[0]).toContain(
      `the name of the ${part}, "Web_ÄX", does not match`,
    );
  });
  test("the pattern is configured", () => {
    const strict = { config: { rules: { naming: { set: "^(src|dst)-" } } } };
    expect(messagesOf(naming, [prefixSet()], strict)[0]).toContain(
      'the name of the set, "blocked", does not match ^(src|dst)-',
    );
  });
});
