import { execFileSync } from "node:child_process";
import { join, relative, sep } from "node:path";
import { expect, test } from "vitest";

const DIST = join(__dirname, "../../dist");

/** The files of the package and of zod that a command loads before it ends. */
function loadedBy(...words: readonly string[]): string[] {
  const script = `
    process.on("exit", () => process.stderr.write(JSON.stringify(Object.keys(require.cache))));
    process.argv.splice(1, 0, ${JSON.stringify(join(DIST, "provider/cli.js"))});
    require(process.argv[1]);`;
  const printed = execFileSync("sh", ["-c", '"$0" "$@" 2>&1 >&-', process.execPath, "-e", script, ...words], {
    encoding: "utf8",
  });
  const files: string[] = JSON.parse(printed);
  return files.filter((file) => file.startsWith(DIST) || file.includes(`${sep}zod${sep}`));
}

test("forward is loaded from dist/forward alone: few files of ours, and none of zod", () => {
  const files = loadedBy("forward", "--help").map((file) => relative(DIST, file));
  expect(files.filter((file) => !file.startsWith("forward"))).toEqual([join("provider", "cli.js")]);
  expect(files.length).toBeLessThanOrEqual(6);
});

test("every other command is loaded from the files that programs import", () => {
  const files = loadedBy("list", "--help").map((file) => relative(DIST, file));
  expect(files).toContain(join("provider", "commands", "list.js"));
  expect(files.filter((file) => file.startsWith("forward"))).toEqual([]);
});
