import { readFileSync } from "node:fs";
import { expect, expectTypeOf, test } from "vitest";
import { type Emulator, emulatorFixtures, type RemoteEmulator, startEmulator } from "../../provider/emulator";
import { runNodeTest, runVitest } from "./users-tests";

const MINUTES = 60_000;
/** Runners of tests start slowly on a busy machine. */
const LONG = { timeout: 5 * MINUTES };

/** Beginning of a user's test file. */
const HEAD = `
import { expect, test as base } from "vitest";
import { connectEmulator, emulatorFixtures, startEmulator } from "pulumi-packetfilter/emulator";

const emulator = await connectEmulator(process.env.PACKETFILTER_EMULATOR_CONTROL);
const ask = (url, command, run) =>
  fetch(emulator.endpoint + "/fapi", {
    method: "POST",
    headers: { "content-type": "application/json", ...(run && { "packetfilter-run": run }) },
    body: JSON.stringify({ url, ...command }),
  });
`;

/** The code of docs/emulator.md below a heading. */
function documented(heading: string): string {
  const [, section = ""] = readFileSync("docs/emulator.md", "utf8").split(`## ${heading}\n`);
  return /^```js\n(.*?)^```$/ms.exec(section)?.[1] ?? "";
}

test("the example of the documentation for vitest passes", LONG, async () => {
  await using emulator = await startEmulator();
  const files = { "documented.test.mjs": documented("In vitest, with one emulator for many tests") };
  const { passed, printed } = await runVitest(files, emulator.control);
  expect([passed, printed]).toEqual([true, expect.stringMatching(/Tests +1 passed/)]);
  emulator.expectRequests({ run: "documented.test.mjs 0 a list that fails is repeated", cmd: "list" }, 2);
});

test("the example of the documentation for plain JavaScript passes, and Node 20 reads it", LONG, async () => {
  const sample = documented("In plain JavaScript");
  expect(sample).not.toMatch(/\busing\b/);
  expect(await runNodeTest(sample)).toEqual({
    passed: true,
    printed: expect.stringMatching(/^ok 1 - a list that fails is repeated$/m),
  });
});

/** One of eight files: it waits for the others, and then sees no request but its own. */
const file = (own: number, all: readonly number[]) => `${HEAD}
const test = base.extend(emulatorFixtures(emulator, { reset: false }));
const url = "prefixset://edge/set-${own}";

test("file ${own} inserts ${own} times", async ({ run }) => {
  const others = ${JSON.stringify(all)}.map((each) => "prefixset://edge/set-" + each);
  await ask(url, { cmd: "list" }, run);
  await Promise.all(others.map((other) => emulator.waitForRequest({ cmd: "list", url: other }, { within: "3m" })));
  for (let v = 1; v <= ${own}; v += 1) await ask(url, { cmd: "insert", data: [{ p: "203.0.113." + v, v }] }, run);
  await ask(url, { cmd: "commit" }, run);
  await emulator.expectRequests({ run, cmd: "insert" }, ${own});
  await emulator.expectRequests({ run, contains: "203.0.113.${own}" }, 1);
  await emulator.expectRequests({ run, contains: "203.0.113.${own + 1}" }, 0);
  await emulator.expectOrder([{ run, cmd: "list" }, { run, cmd: "insert" }, { run, cmd: "commit" }]);
  expect(new Set((await emulator.requests({ run })).map((entry) => entry.url))).toEqual(new Set([url]));
});
`;

test("eight files side by side assert by label what they asked of one emulator", LONG, async () => {
  const all = [1, 2, 3, 4, 5, 6, 7, 8];
  const sets = Object.fromEntries(all.map((own) => [`set-${own}`, {}]));
  await using emulator = await startEmulator({ state: { arenas: { edge: { sets } } } });
  const files = Object.fromEntries(all.map((own) => [`file-${own}.test.mjs`, file(own, all)]));
  expect(await runVitest(files, emulator.control)).toEqual({
    passed: true,
    printed: expect.stringMatching(/Tests +8 passed/),
  });
  expect(emulator.runs.map(({ label, requests }) => `${label}: ${requests}`).sort()).toEqual(
    all.map((own) => `file-${own}.test.mjs 0 file ${own} inserts ${own} times: ${own + 2}`),
  );
});

/** Tests of Node's own runner: what the second one does not meet must not pass. */
const NODE_TESTS = `
const assert = require("node:assert/strict");
const { test } = require("node:test");
const { startEmulator } = require("pulumi-packetfilter/emulator");
const started = async () => {
  const emulator = await startEmulator({ expectAllFaultsMet: true });
  emulator.fail({ cmd: "delete", status: 503 });
  return emulator;
};
test("fails", async () => {
  await using emulator = await started();
  assert.equal("its own failure", "another");
});
test("passes", async () => {
  await using emulator = await started();
});
`;

test.each([
  ["fails", /^not ok 1 - fails$.*\+ 'its own failure'\n +- 'another'\n.*A fault was never met/ms],
  ["passes", /# Error: Test "passes" .*A fault was never met:.*^not ok /ms],
])("a block with await using in Node's runner that %s says so, and fails the run", LONG, async (name, told) => {
  expect(await runNodeTest(NODE_TESTS, `--test-name-pattern=^${name}$`)).toEqual({
    passed: false,
    printed: expect.stringMatching(told),
  });
});

const FAILING = `${HEAD}
const test = base.extend(emulatorFixtures(emulator, { expectAllFaultsMet: true }));
const url = "prefixset://edge/blocked";
const list = () => ask(url, { cmd: "list" });

test("changes much", async ({ emulator }) => {
  await emulator.setDialect("verbose");
  await emulator.change(url, { insert: { "203.0.113.0/24": 1 } });
  await list();
});

test("begins anew, and fails", async ({ emulator, run }) => {
  expect(await emulator.requests()).toEqual([]);
  await list();
  expect((await emulator.requests({ run })).length).toBe(1);
  await emulator.fail({ cmd: "commit", status: 503 });
  expect(Object.keys((await emulator.prefixSet(url)).applied)).toEqual(["own failure with fixtures"]);
});

test("passes, but meets no fault", async ({ emulator }) => {
  await emulator.fail({ cmd: "insert", status: 503 });
});

base("fails in a block with await using", async () => {
  await using emulator = await startEmulator({ expectAllFaultsMet: true });
  emulator.fail({ cmd: "delete", status: 503 });
  expect("its own failure").toBe("another");
});
`;

test(
  "a test that fails says what it asked, and never is its failure hidden by a fault that was not met",
  LONG,
  async () => {
    await using emulator = await startEmulator();
    const { passed, printed } = await runVitest({ "failing.test.mjs": FAILING }, emulator.control);
    expect([passed, printed]).toEqual([false, expect.stringMatching(/Tests +3 failed \| 1 passed/)]);
    const [, ...failures] = printed.split(/^ FAIL +/m);
    const told = failures.map((text) => text.split(/^ ❯ /m)[0] ?? "");
    expect(told).toHaveLength(3);

    const [anew, unmet, using] = told;
    expect(anew).toMatch(
      /^failing\.test\.mjs > begins anew, and fails\nAssertionError: expected \[.*\] to deeply equal \[ 'own failure with fixtures' \]\n\nRequests to the emulator:\n {2}#\d+ .*list prefixset:\/\/edge\/blocked.* -> 200.*\n/,
    );
    expect(anew).toContain('-   "own failure with fixtures",');
    expect(anew).not.toContain("never met");

    expect(unmet).toMatch(
      /^failing\.test\.mjs > passes, but meets no fault\nUnmetFaultError: A fault was never met:\n {2}fault \d+ .*"insert".*: the emulator received no request\n\nThe emulator received no request\.\n/,
    );

    expect(using).toMatch(
      /^failing\.test\.mjs > fails in a block with await using\nAssertionError: expected 'its own failure' to be 'another'/,
    );
    expect(printed).toMatch(/Unhandled Rejection.*\nUnmetFaultError: A fault was never met:\n {2}fault 1 .*"delete"/);
  },
);

test("with an emulator for several files, a test fails for a fault of its own run alone", async () => {
  await using shared = await startEmulator();
  const fixtures = emulatorFixtures(shared, { reset: false, expectAllFaultsMet: true });
  const task = { id: "1_0", name: "mine", file: { name: "own.test.ts" } };
  const judged = () => fixtures.emulator({ task, onTestFailed: () => {} } as never, async () => {});
  shared.fail({ cmd: "commit", run: "of another file" });
  await judged();
  shared.fail({ cmd: "commit", run: "own.test.ts 0 mine" });
  await expect(judged()).rejects.toThrow(/^A fault was never met:.*own.test.ts 0 mine/s);
});

test("the fixtures give what they share, by its type", () => {
  const inTests = (here: Emulator, afar: RemoteEmulator) => {
    test.extend(emulatorFixtures(here))("here", ({ emulator, run }) => {
      expectTypeOf(emulator).toEqualTypeOf<Emulator>();
      expectTypeOf(run).toEqualTypeOf<string>();
    });
    test.extend(emulatorFixtures(afar))("afar", ({ emulator }) => {
      expectTypeOf(emulator).toEqualTypeOf<RemoteEmulator>();
    });
  };
  expectTypeOf(inTests).toBeFunction();
});
