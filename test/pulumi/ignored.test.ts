import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { ignoredChanges, withCanonicalKeys } from "../../provider/pulumi/ignored";

const SET = { label: 'PrefixSet "blocked"', args: ["arena", "set", "entries", "maxRemovals", "node"] };
const ENTRY = { label: 'PrefixSetEntry "scanner"', args: ["arena", "set", "prefix", "value"] };

test.each([
  [['entries["203.0.113.7"]', 'entries["203.0.113.7/32"]'], ['entries["203.0.113.7/32"]'], ["203.0.113.7/32"], false],
  [['["entries"]["2001:DB8::"]'], ['entries["2001:db8::/128"]'], ["2001:db8::/128"], false],
  [["entries", "maxRemovals"], ["entries", "notes", "maxRemovals"], [], true],
  [["entries[*]"], ["entries", "notes"], [], true],
  [["*"], ["*"], [], true],
  [['node.headers["x-token"]'], ['node.headers["x-token"]'], [], false],
])("%j of a set is given to the engine as %j", (paths, given, prefixes, all) => {
  const ignored = ignoredChanges(SET, paths);
  expect(ignored).toEqual({ paths: given, prefixes: new Set(prefixes), all });
});

test("the value of an entry is ignored as it is; nothing is made of no path", () => {
  expect(ignoredChanges(ENTRY, ["value"])).toEqual({ paths: ["value"], prefixes: new Set(), all: true });
  expect([ignoredChanges(ENTRY, []), ignoredChanges(ENTRY, undefined)]).toEqual([undefined, undefined]);
});

test.each([
  [SET, "entires", 'there is no argument "entires"'],
  [SET, "notes", 'there is no argument "notes"'],
  [SET, "entries[0]", "the state has no positions of entries"],
  [SET, "entries.203.0.113.7", 'a prefix stands in brackets: entries["203.0.113.7/32"]'],
  [SET, 'entries["192.0.2.1/24"]', "192.0.2.0/24"],
  [SET, 'entries["203.0.113.7"].reason', 'an entry is ignored as a whole: write entries["203.0.113.7/32"]'],
  [SET, 'entries["203.0.113.7', "it is not a property path"],
  [SET, "", 'there is no argument "undefined"'],
  [{ label: "CloudSignaling", args: ["prefixes"] }, "prefixes[0]", "the state has them sorted: write prefixes"],
])("%j refuses %s", (subject, path, why) => {
  const read = () => ignoredChanges(subject, [path]);
  expect(read).toThrow(pulumi.RunError);
  expect(read).toThrow(`${subject.label}: ignoreChanges ${path}: `);
  expect(read).toThrow(why);
});

test("a path may name a prefix as the argument hostBits reads it", () => {
  const masked = ignoredChanges({ ...SET, hostBits: "mask" }, ['entries["192.0.2.1/24"]']);
  expect(masked?.paths).toEqual(['entries["192.0.2.0/24"]']);
});

test("entries get canonical keys; what is none, or is there twice, is left to the check", async () => {
  expect(withCanonicalKeys(["203.0.113.7", "192.0.2.0/24"], undefined)).toEqual({
    "203.0.113.7/32": 1,
    "192.0.2.0/24": 1,
  });
  expect(withCanonicalKeys({ "203.0.113.7": { value: 2 }, "2001:DB8::/32": 5, nonsense: 4 }, undefined)).toEqual({
    "203.0.113.7/32": { value: 2 },
    "2001:db8::/32": 5,
    nonsense: 4,
  });
  const twice = { "203.0.113.7": 2, "203.0.113.7/32": 3 };
  expect(withCanonicalKeys(twice, undefined)).toEqual(twice);
  const given = pulumi.output(pulumi.secret({ "203.0.113.7": 1 }));
  const later = withCanonicalKeys(given, undefined) as pulumi.Output<unknown>;
  expect(await pulumi.isSecret(later)).toBe(true);
  expect(await new Promise((resolve) => later.apply(resolve))).toEqual({ "203.0.113.7/32": 1 });
});
