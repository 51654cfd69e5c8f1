import { describe, expect, it } from "vitest";
import { Declarations, type DeclaredSet, record } from "../../provider/deployment/conflicts";

const entry = (name: string, prefix: string) =>
  ({ type: "PrefixSetEntry", name, entries: new Set([prefix]), exclusive: false }) as const;
const set = (name: string, entries: string[], exclusive = true) =>
  ({ type: "PrefixSet", name, entries: new Set(entries), exclusive }) as const;

const NODE = { endpoint: "http://192.0.2.10" };

/** Contradiction of the last of several declarations of one set. */
function conflict(...declarations: Parameters<typeof record>[1][]): string | undefined {
  const declared: DeclaredSet = { entries: new Map() };
  return declarations.map((declaration) => record(declared, declaration)).at(-1);
}

describe("declarations of one program", () => {
  it("may name other entries in a set that is shared", () => {
    expect(conflict(set("part", ["192.0.2.0/24"], false), entry("single", "203.0.113.0/24"))).toBeUndefined();
  });

  it("must not name one entry twice", () => {
    const sentence = /192\.0\.2\.0\/24 is declared by PrefixSetEntry "b" and by PrefixSetEntry "a"/;
    expect(conflict(entry("a", "192.0.2.0/24"), entry("b", "192.0.2.0/24"))).toMatch(sentence);
    expect(conflict(set("part", ["192.0.2.0/24"], false), entry("b", "192.0.2.0/24"))).toMatch(/PrefixSet "part"/);
    const [whole, single] = [set("whole", ["192.0.2.0/24"]), entry("single", "192.0.2.0/24")];
    expect(conflict(whole, single)).toMatch(/declared by PrefixSetEntry "single" and by PrefixSet "whole": keep one/);
    expect(conflict(single, whole)).toMatch(/declared by PrefixSet "whole" and by PrefixSetEntry "single": keep one/);
  });

  it("must not add to a set that another resource owns, in either order", () => {
    const sentence = /PrefixSetEntry "single" adds 203\.0\.113\.0\/24 to a set that PrefixSet "whole" owns/;
    expect(conflict(set("whole", []), entry("single", "203.0.113.0/24"))).toMatch(sentence);
    expect(conflict(entry("single", "203.0.113.0/24"), set("whole", []))).toMatch(sentence);
    expect(conflict(set("whole", []), set("part", ["203.0.113.0/24"], false))).toMatch(/PrefixSet "part" adds 203/);
  });

  it("of a set whose prefixes are secret are counted for every resource that declares them", () => {
    const secret = { ...set("hidden", ["192.0.2.0/24"]), secret: true, isSecret: true };
    expect(conflict(secret, entry("single", "203.0.113.0/24"))).toMatch(
      /^PrefixSetEntry "single" adds a secret prefix to a set that PrefixSet "hidden" owns/,
    );
    expect(conflict(entry("single", "203.0.113.0/24"), secret)).toMatch(/adds a secret prefix/);
  });

  it("must not own one set twice, as the provider knows, too: a dynamic resource by the name that its class says", () => {
    const sentence = /PrefixSet "b" and PrefixSet "a" both own the whole set/;
    expect(conflict(set("a", []), set("b", []))).toMatch(sentence);
    const declarations = new Declarations();
    const checks = ["a", "a", "b"].map((name) =>
      declarations.enter({ owner: `dev::web::PrefixSet::${name}` }, NODE, "prefixset://edge/blocked", set(name, [])),
    );
    expect(checks).toEqual([undefined, undefined, expect.stringMatching(sentence)]);
  });
});
