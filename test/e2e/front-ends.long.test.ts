import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../support/markdown";
import { compareRows, HOOK, ROWS, type Seen } from "./options/front-ends";
import { code, type Declared, declare, FRONT_ENDS, type FrontEnd, prepare, snake } from "./support/front-ends";
import { world } from "./support/world";

const PARTNERS = "prefixset://edge/partners";
/** A resource that is not there yet. */
const NEW: Declared = {
  name: "refused",
  type: "PrefixSetEntry",
  args: { arena: "edge", set: "partners", prefix: "203.0.113.77" },
};

test.each(FRONT_ENDS)("each option does by %s what the page says", { timeout: 600_000 }, async (frontEnd) => {
  await using w = await world({ program: "" });
  const { emulator, stack } = w;
  await prepare(frontEnd, stack);
  const knows = ({ unknownTo = [] }: { readonly unknownTo?: readonly FrontEnd[] }) => !unknownTo.includes(frontEnd);
  const own = Object.values(ROWS).filter(knows);
  const all = (which: "first" | "second") => own.flatMap((row) => row[which]?.(frontEnd) ?? []);
  emulator.change(PARTNERS, { insert: { "203.0.113.21/32": 4, "203.0.113.22/32": 4 } });
  const commits = () =>
    emulator.journal.flatMap(({ commit, url = "" }) =>
      commit ? [{ set: url.replace("prefixset://edge/", ""), ...commit }] : [],
    );

  await stack.must("config", "set", "--path", "packetfilter:nodes.n1.endpoint", emulator.endpoint);
  await declare(frontEnd, stack, all("first"), own.map(({ more }) => more?.[frontEnd] ?? "").join(""));
  const first = await stack.must("up", "--yes", "--skip-preview");
  const states: Seen["states"][number][] = [await stack.state()];
  const created = commits().map(({ inserted }) => Object.keys(inserted));

  emulator.fail({ op: "start", kind: "delay", delay: "3s" });
  await declare(frontEnd, stack, all("second"));
  const second = await stack.up("--skip-preview", "--continue-on-error");
  states.push(await stack.state());
  const later = commits().slice(created.length);
  const partners = emulator.prefixSet(PARTNERS).applied;

  // What is refused has sent nothing.
  for (const [option, { refused, ...row }] of Object.entries(ROWS)) {
    if (!refused || !knows(row) || refused.by?.includes(frontEnd) === false) continue;
    const { words, of = NEW.name } = refused;
    const options = option === "hooks" ? { hooks: code(HOOK[frontEnd]) } : refused.options;
    const former = all("second").find(({ name }) => name === of) ?? NEW;
    const others = all("second").filter(({ name }) => name !== of);
    const provider: Declared[] = option === "provider" ? [{ name: "own", type: "Provider", args: {} }] : [];
    await declare(frontEnd, stack, [...others, ...provider, { ...former, options }]);
    const run = await (refused.in === "up" ? stack.up("--skip-preview") : stack.preview());
    expect([option, run.code === 0, run.text]).toEqual([option, false, expect.stringMatching(words)]);
  }
  const unknown = Object.keys(ROWS).filter((option) => ROWS[option]?.unknownTo?.includes(frontEnd));
  if (unknown.length > 0) {
    const options = Object.fromEntries(unknown.map((option) => [option, []]));
    await declare(frontEnd, stack, [...all("second"), { ...NEW, options }]);
    const { text } = await stack.preview();
    for (const option of unknown)
      expect(text).toMatch(
        frontEnd === "YAML"
          ? `${option} does not exist on resource options`
          : `unexpected keyword argument '${snake(option)}'`,
      );
  }
  expect(emulator.prefixSet(PARTNERS).applied).toEqual(partners);

  const texts = { first: first.text, second: second.text };
  compareRows({ frontEnd, partners, ...texts, commits: later, created, states });
});

/** Every form of entries that the types of TypeScript take, in Python, each with an entry of its own. */
const FORMS = [
  '["192.0.2.0/32"]',
  '("192.0.2.1/32",)',
  '[pulumi.Output.from_input("192.0.2.2/32")]',
  'pulumi.Output.from_input(["192.0.2.3/32"])',
  '[{"prefix": "192.0.2.4", "value": 4, "reason": "SYN flood"}]',
  '{"192.0.2.5": pulumi.Output.from_input(5)}',
  'pulumi.Output.from_input({"192.0.2.6": {"value": 6, "expires": "2099-01-01T00:00:00Z"}})',
  '[("192.0.2.7", 4294967295)]',
];

test("Python gives entries in every form, of sets and of groups, and a connection in its own spelling", {
  timeout: 300_000,
}, async () => {
  await using w = await world({ program: "" });
  const { emulator, stack } = w;
  await prepare("Python", stack);
  await stack.must("config", "set", "--path", "packetfilter:nodes.n1.endpoint", emulator.endpoint);
  const sets = FORMS.map((form, index): Declared => {
    const args = { arena: "edge", set: "blocked", exclusive: false, entries: code(form) };
    return { name: `set-${index}`, type: "PrefixSet", args };
  });
  const node = `{"endpoint": "${emulator.endpoint}", "timeout_ms": 9000}`;
  const others = `
for name, nodes in (("list", ["n1"]), ("map", {"n1": {"entries": ["192.0.2.9"]}})):
    packetfilter.PrefixSetGroup(name, arena="edge", set="partners", exclusive=False, nodes=nodes, entries=("192.0.2.8",) if name == "list" else [])
packetfilter.PrefixSet("own", arena="edge", profile="web", set="blocked", node=${node}, entries=[])
pulumi.export("seen", packetfilter.get_prefix_set_output(arena="edge", set="partners", node=${node}).entries)
`;
  // The SDK refuses them before the plugin sees them, so the guide names what it prints.
  const guide = await readFile(join(root, "docs/guides/languages.md"), "utf8");
  const given = { arena: "edge", set: "blocked", entries: code("given") };
  for (const [form, words] of [
    ['{network("192.0.2.0/24"): 1}', "TypeError: bad argument type for built-in operation"],
    ['[network("192.0.2.0/24")]', "unexpected input of type IPv4Network"],
  ] as const) {
    await declare("Python", stack, [{ name: "objects", type: "PrefixSet", args: given }]);
    const program = await stack.read("__main__.py");
    await stack.write("__main__.py", `from ipaddress import ip_network as network\ngiven = ${form}\n${program}`);
    const { text } = await stack.preview();
    expect([text.includes(words), guide.includes(words)]).toEqual([true, true]);
  }

  await declare("Python", stack, sets, others);
  await stack.must("up", "--yes", "--skip-preview");
  const ones = Object.fromEntries([0, 1, 2, 3].map((host) => [`192.0.2.${host}/32`, 1]));
  expect(emulator.prefixSet("prefixset://edge/blocked").applied).toEqual({
    ...ones,
    "192.0.2.4/32": 4,
    "192.0.2.5/32": 5,
    "192.0.2.6/32": 6,
    "192.0.2.7/32": 4_294_967_295,
  });
  expect(emulator.prefixSet(PARTNERS).applied).toEqual({ "192.0.2.8/32": 1, "192.0.2.9/32": 1 });
});
