import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { ignoredChanges } from "../../provider/pulumi/ignored";
import { readIgnored } from "../../provider/reconcile/ignored";

const SET = { label: 'PrefixSet "blocked"', args: ["arena", "set", "entries", "maxRemovals", "node", "nodes"] };
const ENTRY = { label: 'PrefixSetEntry "scanner"', args: ["arena", "set", "prefix", "value"] };
const SIGNALING = { label: 'CloudSignaling "attack"', args: ["prefixes"] };
const ONE = ["203.0.113.7/32"];

test.each([
  [SET, ['entries["203.0.113.7"]', 'entries["203.0.113.7/32"]'], ONE],
  [SET, ['["entries"]["2001:DB8::"]'], ["2001:db8::/128"]],
  [SET, ["entries", "maxRemovals"], true],
  [SET, ["entries[*]"], true],
  [SET, ["*"], true],
  [SET, ['node.headers["x-token"]'], undefined],
  [{ ...SET, hostBits: "mask" }, ['entries["192.0.2.1/24"]'], ["192.0.2.0/24"]],
  [ENTRY, ["value"], true],
  [SIGNALING, ["prefixes[0]"], true],
])("%j with the paths %j ignores %j", (subject, paths, ignored) => {
  expect(ignoredChanges(subject, paths)).toEqual({ paths, ...(ignored && { ignored }) });
  expect([ignoredChanges(subject, []), ignoredChanges(subject, undefined)]).toEqual([{}, {}]);
});

test.each([
  [SET, "entires", 'there is no argument "entires"; "entries" is likely meant'],
  [SET, "notes", 'there is no argument "notes"'],
  [SET, "entries[0]", "entries have no lasting positions"],
  [SET, "entries.203.0.113.7", 'a prefix stands in brackets: entries["203.0.113.7/32"]'],
  [SET, 'entries["192.0.2.1/24"]', "192.0.2.0/24"],
  [SET, 'entries["203.0.113.7"].reason', 'an entry is ignored as a whole: write entries["203.0.113.7"]'],
  [SET, 'entries["203.0.113.7', "it is not a property path"],
  [SET, "", 'there is no argument "undefined"'],
])("%j refuses %s in the program", (subject, path, why) => {
  const read = () => ignoredChanges(subject, [path]);
  expect(read).toThrow(pulumi.RunError);
  expect(read).toThrow(`${subject.label}: ignoreChanges ${path}: `);
  expect(read).toThrow(why);
});

const STATE = { entries: { "203.0.113.7": 2 }, nodes: ["fra1"], prefixes: ["198.51.100.7"] };

test.each<[string, object, string | undefined]>([
  ['entries["203.0.113.7"]', STATE, undefined],
  ['entries["203.0.113.7/32"]', STATE, 'the state has this entry as entries["203.0.113.7"]'],
  ['entries["203.0.113.8"]', STATE, "no entry of the state has this prefix"],
  ['entries["203.0.113.7"]', { entries: ["203.0.113.7"] }, "write the entries as a map by prefix"],
  ["prefixes[0]", STATE, undefined],
  ["prefixes[1]", STATE, "the state has no such prefix"],
  ["nodes[0]", STATE, undefined],
  ['nodes["ams1"]', { nodes: { fra1: {} } }, "the state has no such node"],
  ["set", STATE, undefined],
])("the path %s in the state %j: %s", (path, state, why) => {
  const { problems } = readIgnored([path], [...SET.args, ...SIGNALING.args], { ...state }, true);
  expect(problems).toEqual(why === undefined ? [] : [expect.stringContaining(why)]);
});
