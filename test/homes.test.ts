import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./support/markdown";

const PAGE = readFileSync(join(root, "docs/contributing/homes.md"), "utf8");

/** Rule to its file, by the page. */
const HOMES = new Map(
  [...PAGE.matchAll(/^\| (.+?) \| `(provider\/[^`]+)`/gm)].map(([, rule = "", home = ""]) => [rule, home] as const),
);

const CODE = readdirSync(join(root, "provider"), { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => ({ file: `provider/${file}`, text: readFileSync(join(root, "provider", file), "utf8") }));

/** Rooms whose output is a list, or that are a program of their own. */
const LISTS = ["provider/report/", "provider/forwarder/", "provider/emulator/", "provider/engine/dynamic-provider.ts"];

/** Code that does the work of a rule, and where the page lets it stand besides the home. */
const WORK: Record<string, readonly [code: RegExp, elsewhere: readonly string[]]> = {
  "Number of items that a message names": [/\band \$\{[^`]*\} more\b/, LISTS],
  "Reading of a limit: number or percentage": [/const SHARE_TEXT =/, []],
  "Counting of removals and changes against the limits": [/\ballowedOf\(/, ["provider/model/limits.ts"]],
  "Comparison of program, state and node": [/"occupied"/, []],
  "Restoring of entries after a commit": [
    /kind: "notRestored"/,
    ["provider/apply/set-writer.ts", "provider/deployment/same-machine.ts"],
  ],
  "Pauses and timers": [
    /\bsetTimeout\(|"node:timers\/promises"/,
    [
      "provider/prefixes/edit/lock.ts",
      "provider/forwarder/standard-output.ts",
      "provider/forwarder/slices.ts",
      "provider/commands/emulator-background.ts",
      "provider/commands/interruption.ts",
      "provider/emulator/",
    ],
  ],
  "Tries of a request, and the pauses between them": [/\b(?:MAX_TRIES =|function backoff|function retryAfter)/, []],
  "Durations for messages": [/\/ 10*_?0*\)?\} s\b/, ["provider/emulator/"]],
  "Durations as users write them": [/86_400_000, 3_600_000/, []],
  "Replacing a file by a whole one": [
    /\brename(?:Sync)?\(/,
    [
      "provider/prefixes/edit/lock.ts",
      "provider/forwarder/",
      "provider/deployment/other-processes.ts",
      "provider/commands/plugin.ts",
      "provider/commands/emulating/journal-file.ts",
    ],
  ],
  "Lock of a file while it is edited": [/flag: "wx"/, []],
  "Server of the emulator": [
    /\bcreateServer\(/,
    ["provider/forwarder/operating/http-server.ts", "provider/emulator/state/file-lock.ts"],
  ],
  "Canonical form of a prefix": [/"ipaddr\.js"/, []],
};

const filesWith = (code: RegExp) => CODE.flatMap(({ file, text }) => (code.test(text) ? file : []));

test("each home is there", () => {
  expect(HOMES.size).toBeGreaterThan(15);
  expect([...HOMES.values()].filter((home) => !existsSync(join(root, home)))).toEqual([]);
});

test.each(Object.entries(WORK))("%s: one file does it", (rule, [code, elsewhere]) => {
  const home = HOMES.get(rule) ?? "";
  const files = filesWith(code);
  expect(files).toContain(home);
  const isNamed = (file: string) => file.startsWith(home) || elsewhere.some((place) => file.startsWith(place));
  expect(files.filter((file) => !isNamed(file))).toEqual([]);
});
