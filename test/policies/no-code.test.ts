import type { ResourceValidationPolicy } from "@pulumi/policy";
import { describe, expect, test } from "vitest";
import { noCodeInAnswers, parsePolicyConfig, policiesOf, rules } from "../../policies/index";
import { nativeToken } from "../../provider/model/resource-kind";
import { ask } from "./ask";
import { messagesOf, prefixSet, prefixSetEntry, prefixSetGroup, UNKNOWN } from "./support";

const MODULE = "./lists/../read.cjs";
const READING = { endpoint: "https://node.example.net", answers: { read: MODULE, format: "json" } };
const text = JSON.stringify;
/** As the stack's file has it, once nested objects are texts. */
const NODES = text({ fra1: READING, ams1: { endpoint: "https://ams1.example.net" } });

/** Every place where a module can be named, by how it is written. */
const FORMS: Record<string, [resource: ReturnType<typeof prefixSet>, stackConfig?: Record<string, unknown>]> = {
  "an object of the program": [prefixSet({ node: READING })],
  "an object of the program that is a text": [prefixSet({ node: { ...READING, answers: text(READING.answers) } })],
  "a whole node as text": [prefixSet({ node: text(READING) }), { "packetfilter:nodes": { [text(READING)]: READING } }],
  "a named node": [prefixSet({ node: "fra1" }), { "packetfilter:nodes": NODES }],
  "a named node whose members are texts": [
    prefixSet({ node: "fra1" }),
    { "packetfilter:nodes": text({ fra1: text({ ...READING, answers: text(READING.answers) }) }) },
  ],
  "the unnamed node": [prefixSet(), { "packetfilter:endpoint": READING.endpoint, "packetfilter:node": text(READING) }],
  "the unnamed node in a stack's file": [prefixSet(), { "packetfilter:node": READING }],
  "one of a group's nodes": [prefixSetGroup({ nodes: { ams1: {}, fra1: {} } }), { "packetfilter:nodes": NODES }],
  "a group's list of nodes": [prefixSetGroup({ nodes: ["ams1", "fra1"] }), { "packetfilter:nodes": NODES }],
  "a single entry's node": [prefixSetEntry({ node: "fra1" }), { "packetfilter:nodes": NODES }],
};

test.each(Object.entries(FORMS))("a module is found in %s", (_, [resource, stackConfig]) => {
  const [message = "", ...more] = messagesOf(noCodeInAnswers, [resource], { ...(stackConfig && { stackConfig }) });
  expect(message).toContain(`code of the change would read the answers of its node (\`answers.read\`): "${MODULE}"`);
  expect(more).toEqual([]);
});

test("what a function would make of the answers is named as a module, too, and refused by check", () => {
  const node = { ...READING, answers: { read: "(body) => JSON.parse(body)" } };
  expect(messagesOf(noCodeInAnswers, [prefixSet({ node })])[0]).toContain('"(body) => JSON.parse(body)"');
});

test("a node of another resource, a module that is known, and answers without one pass", () => {
  const stackConfig = { "packetfilter:nodes": NODES };
  expect(messagesOf(noCodeInAnswers, [prefixSet({ node: "ams1" })], { stackConfig })).toEqual([]);
  const config = { rules: { "no-code-in-answers": { modules: [MODULE] } } } as never;
  expect(messagesOf(noCodeInAnswers, [prefixSet({ node: READING })], { config })).toEqual([]);
  const other = { rules: { "no-code-in-answers": { modules: ["./read.cjs"] } } } as never;
  expect(messagesOf(noCodeInAnswers, [prefixSet({ node: READING })], { config: other })).toHaveLength(1);
});

test.each([
  { ...READING, answers: UNKNOWN },
  { ...READING, answers: { read: UNKNOWN } },
])("what is not known yet is left for the update: %j", (node) => {
  expect(messagesOf(noCodeInAnswers, [prefixSet({ node })])).toEqual([expect.stringContaining("cannot be judged yet")]);
});

describe("in the plugin's configuration, whose keys have no namespace", () => {
  const policy = policiesOf(rules, { config: parsePolicyConfig({}, rules), environment: {} }).find(
    ({ name }) => name === "no-code-in-answers",
  ) as ResourceValidationPolicy;
  const inputs = { arena: "edge", set: "blocked", entries: {} };

  test.each([
    [{ ...inputs, node: "fra1" }, { nodes: NODES }],
    [inputs, { node: text(READING) }],
  ])("%j with %j", (properties, props) => {
    const { violations } = ask(policy, properties, nativeToken("PrefixSet"), props);
    expect(violations).toEqual([expect.objectContaining({ message: expect.stringContaining(MODULE) })]);
  });
});
