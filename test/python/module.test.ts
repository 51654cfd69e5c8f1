import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { providerText, typeToken } from "../../provider/resources/provider-text";
import { FORMATS } from "../../provider/wire/answers";
import { blocksOf, root } from "../support/markdown";
import { type Argument, argumentsOf, declaredBy, membersOf, typeNamed } from "./argument-lists";

/** What the module lists, as `listed.py` reads it from its syntax tree. */
interface Listed {
  readonly functions: Record<string, readonly Argument[]>;
  readonly members: Record<string, readonly Argument[]>;
  readonly assigned: Record<string, string>;
}

const listed: Listed = JSON.parse(
  execFileSync("python3", [join(__dirname, "listed.py")], {
    input: readFileSync(join(root, "examples/python/packetfilter.py")),
    encoding: "utf8",
  }),
);

/** Where a user in an address becomes a header in TypeScript, the whole address becomes a secret in Python. */
const ENDPOINT =
  "Base url, with or without `/fapi` (docs/contract.md#node-endpoint). User and password in it make it a secret; without them it is shown in messages and in the output `endpoint`.";

const byName = (some: readonly Argument[] = []) => [...some].sort((a, b) => a.name.localeCompare(b.name));
const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

test("the program in the guide stands in the example", () => {
  const programs = blocksOf("docs/guides/python.md").filter(({ language }) => language === "py");
  expect(programs).toHaveLength(1);
  for (const { tag, text } of programs) expect(readFileSync(join(root, tag), "utf8")).toContain(text);
});

test("states of programs in Python name the provider and the types as all states do", () => {
  expect(listed.assigned).toMatchObject({ _PROVIDER_TEXT: providerText("%s"), _TYPE_TOKEN: typeToken("%s") });
});

test.each([
  { called: "prefix_set", file: "prefix-set.ts", type: "PrefixSet" },
  { called: "prefix_set_group", file: "prefix-set-group.ts", type: "PrefixSetGroup" },
  { called: "prefix_set_entry", file: "prefix-set-entry.ts", type: "PrefixSetEntry" },
  { called: "cloud_signaling", file: "cloud-signaling.ts", type: "CloudSignaling" },
])(
  "$called takes the arguments of the class $type, each with its type, its text and its default",
  ({ called, file, type }) => {
    const args = argumentsOf(type, file);
    const inPython = args.map((one) => ({ ...one, name: snake(one.name) }));
    const { opts, ...own } = Object.fromEntries((listed.functions[called] ?? []).map((one) => [one.name, one]));
    expect(opts).toMatchObject({ type: "pulumi.ResourceOptions", required: false });
    expect(byName(Object.values(own))).toEqual(byName(inPython));

    const declared = declaredBy(file);
    const outputs = Object.fromEntries((listed.members[type] ?? []).map(({ name, text }) => [name, text]));
    const onlyOutputs = Object.keys(declared).filter((name) => !args.some((one) => one.name === name));
    expect(Object.keys(outputs)).toEqual(expect.arrayContaining(onlyOutputs));
    expect(outputs).toEqual(Object.fromEntries(Object.keys(outputs).map((name) => [name, declared[name]])));
  },
);

test("connections, answers, nodes of groups and entries have TypeScript's members, with types, texts and defaults", () => {
  const [options, answers] = ["../client/options.ts", "../wire/answers.ts"];
  const node = membersOf(options, "NodeOptions").map((one) =>
    one.name === "endpoint" ? { ...one, text: ENDPOINT } : one,
  );
  const { members } = listed;
  expect({
    tls: byName(members.Tls),
    node: byName([...(members.Node ?? []), ...(members._NodeOptions ?? [])]),
    receiver: byName([...(members.Receiver ?? []), ...(members._ReceiverOptions ?? [])]),
    answers: byName(members.Answers),
    receiverAnswers: byName(members.ReceiverAnswers),
    verdict: byName(members.Verdict),
    groupNode: byName(members.GroupNode),
    entry: byName(members.Entry),
  }).toEqual({
    tls: byName(membersOf(options, "TlsOptions")),
    node: byName(node),
    receiver: byName(membersOf(options, "ReceiverOptions")),
    answers: byName(membersOf(answers, "Answers")),
    receiverAnswers: byName(membersOf(answers, "ReceiverAnswers")),
    verdict: byName(membersOf(answers, "Verdict")),
    groupNode: byName(membersOf("prefix-set-group.ts", "GroupNodeArgs")),
    entry: byName(membersOf("types.ts", "EntryArgs")),
  });
  expect(listed.assigned).toMatchObject({
    Entries: typeNamed("EntriesInput", "types.ts"),
    GroupNodes: typeNamed("GroupNodesInput", "prefix-set-group.ts"),
    ListFormat: `Literal['${FORMATS.join("', '")}']`,
  });
});
