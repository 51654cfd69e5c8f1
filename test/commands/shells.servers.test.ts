import { execFile } from "node:child_process";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { environmentOf, LURES, NAMED, namedProject, AT_TERMINAL as TERMINAL, WORDS } from "./named-project";

const TYPED: Readonly<Record<string, readonly string[]>> = {
  ...WORDS,
  ...Object.fromEntries(NAMED.map(([, typed, offered]) => [typed, offered])),
};

let folder: string;
beforeAll(async () => {
  const { ensureDebian } = await import("../../tools/lib/debian.mjs");
  for (const shell of ["zsh", "fish"]) ensureDebian(`/usr/bin/${shell}`, shell, `Install ${shell}.`);
  folder = await namedProject();
}, 300_000);
afterAll(() => rm(folder, { recursive: true }));

describe("fish", () => {
  test.each(Object.entries(TYPED))("offers behind %j", async (typed, offered) => {
    const script = `source "$argv[1]"; complete -C "pulumi-packetfilter $argv[2]"`;
    const args = ["--no-config", "-c", script, join(folder, "completion.fish"), typed];
    const { stdout } = await promisify(execFile)("/usr/bin/fish", args, {
      cwd: folder,
      env: { ...process.env, ...environmentOf(folder) },
    });
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => line.split("\t")[0])
        .sort(),
    ).toEqual(offered);
  });
});

/**
 * Types into a zsh at a terminal of its own that finds the script in $fpath, and prints what stands there when it has listed
 * what it offers at the first Tab. Marks are computed, so that none is what was typed.
 */
const AT_TERMINAL = String.raw`
zmodload zsh/zpty
zpty shell /usr/bin/zsh -f -i
zpty -w shell "PS1= PROMPT_EOL_MARK=; fpath=($1 \$fpath); autoload -U compinit; compinit -u -D; unsetopt automenu; LISTMAX=0"
zpty -w shell "list-marked() { zle list-choices; zle -R; print -n listed-\$((41 + 1)) }; zle -N list-marked; bindkey '^I' list-marked; print ready-\$((41 + 1))"
zpty -r -m shell line '*ready-42*'
zpty -w -n shell "pulumi-packetfilter $2"$'\t'
zpty -r -m shell line '*listed-42*'
print -r -- "$line"
zpty -d shell
`;

describe("zsh", () => {
  test.each(Object.entries(TYPED))("offers behind %j", async (typed, offered) => {
    const { stdout } = await promisify(execFile)("/usr/bin/zsh", ["-f", "-c", AT_TERMINAL, "zsh", folder, typed], {
      cwd: folder,
      env: { ...process.env, ...environmentOf(folder) },
    });
    // The list stands between the command that clears the lines for it and the one that goes back up.
    const [listed = ""] = stdout.split("\u001b[J").at(-1)?.split("\u001b") ?? [];
    expect(listed.split(/\s+/)).toEqual(offered);
  });
});

test.each([
  ["fish", "source ./completion.fish", ["/usr/bin/fish", "--no-config", "-i"]],
  ["zsh", "PS1= ; fpath=($PWD $fpath); autoload -U compinit; compinit -u -D", ["/usr/bin/zsh", "-f", "-i"]],
])("no name of a commit runs a command: at a terminal, with %s, by TAB and Enter", async (_, setup, shell) => {
  const env = { ...process.env, ...environmentOf(folder), TERM: "dumb", HOME: folder };
  const options = { cwd: folder, env };
  const { stdout } = await promisify(execFile)("python3", [TERMINAL, setup, ...LURES, "--", ...shell], options);
  expect(stdout).toContain("fra1");
  expect(await readdir(folder)).not.toContain("pwned");
});
