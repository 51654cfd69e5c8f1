import { expect, test } from "vitest";
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

  await declare(frontEnd, stack, all("first"));
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

  await declare(frontEnd, stack, all("second"));
  const destroy = await stack.destroy();
  const texts = { first: first.text, second: second.text, destroy: destroy.text };
  compareRows({ frontEnd, partners, ...texts, commits: later, created, states });
});
