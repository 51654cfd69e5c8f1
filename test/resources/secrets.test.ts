import { describe, expect, it } from "vitest";
import { SecretArguments } from "../../provider/engine/secret-arguments";

function knowing(props: Record<string, unknown>): SecretArguments {
  const secrets = new SecretArguments();
  secrets.record(props);
  return secrets;
}

describe("secrets of resources", () => {
  it("are cut out of sentences in every spelling, and nothing else is", () => {
    const entries = { "192.0.2.9": { value: 471_100, reason: "why it is" }, "2001:DB8::/32": 1 };
    const secrets = knowing({ entries, __secret: ["entries"] });
    expect(secrets.hide("added 192.0.2.9/32, 2001:db8::/32 and 3 more on http://192.0.2.99:8080.")).toBe(
      "added [secret] and 3 more on http://192.0.2.99:8080.",
    );
    expect(secrets.hide("left 192.0.2.9. It has 471100, not 1: why it is")).toBe(
      "left [secret]. It has [secret], not 1: [secret]",
    );
    expect(secrets.hide("up changes 2 entries: 192.0.2.9/32 (9 to 2), 2001:db8::/32 (1)")).toBe(
      "up changes 2 entries: [secret]",
    );
    expect(knowing({ entries }).hide("left 192.0.2.9")).toBe("left 192.0.2.9");
  });

  it("beside entries leave prefixes and values in the clear", () => {
    const notes = { "192.0.2.9/32": JSON.stringify({ reason: "why it is", ticket: "INC-1" }) };
    const secrets = knowing({ entries: { "192.0.2.9/32": 5_000 }, notes, __secret: ["notes"] });
    expect(secrets.hide("192.0.2.9/32 has 5000 (why it is, INC-1)")).toBe("192.0.2.9/32 has 5000 ([secret])");
  });

  it("in the value of a single entry leave its prefix in the clear", () => {
    const secrets = knowing({ prefix: "192.0.2.9", value: 7, __secret: ["value"] });
    expect(secrets.hide("fra1 already holds 192.0.2.9/32 with the value 5, not 7.")).toBe(
      "fra1 already holds 192.0.2.9/32 with the value [secret], not [secret].",
    );
    const prefixes = { "192.0.2.9/32": { old: 5, new: 7 } };
    expect(secrets.hideIn({ node: "fra1", set: "a set", prefixes, outcome: "applied" }).prefixes).toEqual({
      "192.0.2.9/32": { old: "[secret]", new: "[secret]" },
    });
  });

  it("are counted in the audit log, where prefix, value and reason are replaced", () => {
    const secrets = knowing({ entries: ["192.0.2.9"], reason: "why it is", __secret: ["entries", "reason"] });
    const record = {
      node: "fra1",
      set: "prefixset://edge/blocked",
      prefixes: { "192.0.2.9/32": { old: null, new: 7 }, "203.0.113.0/24": { old: 1, new: null } },
      reason: "why it is",
      outcome: "insert of 192.0.2.9/32 failed",
    };
    expect(secrets.hideIn(record)).toEqual({
      ...record,
      prefixes: { "[secret] 1": { old: null, new: "[secret]" }, "203.0.113.0/24": { old: 1, new: null } },
      reason: "[secret]",
      outcome: "insert of [secret] failed",
    });
  });
});
