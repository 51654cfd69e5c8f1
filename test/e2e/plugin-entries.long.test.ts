import { expect, it } from "vitest";
import { native, set } from "./support/native";
import { BLOCKED, world } from "./support/world";

const SECRET = "canary-5d1e7b";
const MANY = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`10.${i >> 8}.${i & 255}.0/24`, 1] as const));

it("native resources show exactly the changed entries of 10 000, and keep a secret value out of everything", async () => {
  await using w = await world({ program: native(set(MANY)) });
  const { emulator, stack } = w;
  const created = await stack.up("--skip-preview");
  expect(created.code, created.text).toBe(0);

  await stack.program(native(set({ ...MANY, "10.0.0.0/24": 5, "203.0.113.0/24": 2 })));
  const shown = await stack.preview("--diff");
  expect(shown.code, shown.text).toBe(0);
  expect(shown.text).toContain("10.0.0.0/24");
  expect(shown.text.split("\n").length).toBeLessThan(40);
  const { steps } = JSON.parse((await stack.preview("--json")).stdout);
  const [step] = steps.filter(({ urn }: { urn: string }) => urn.endsWith("::blocked"));
  expect(Object.keys(step.detailedDiff).toSorted()).toEqual(['entries["10.0.0.0/24"]', 'entries["203.0.113.0/24"]']);

  await stack.program(
    native(`
      const entries = { "203.0.113.0/24": { value: 1, reason: pulumi.secret(${JSON.stringify(SECRET)}) } };
      new pf.PrefixSet("blocked", { arena: "edge", set: "blocked", entries, maxRemovals: "100%" }, native);`),
  );
  const secret = await stack.up("--skip-preview");
  expect(secret.code, secret.text).toBe(0);
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "203.0.113.0/24": 1 });
  expect(secret.text).not.toContain(SECRET);
  expect(await stack.read(".backend/.pulumi/stacks/journey/test.json")).not.toContain(SECRET);
});
