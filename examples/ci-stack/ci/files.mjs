// Which files of a change are tried, and what of the rest acts by its name alone. Without arguments of its own for ci/comment.mjs; for
// ci/review.sh: node ci/files.mjs REPOSITORY COMMIT TARGET FOLDER
//
// Makes a new folder of what the target branch has, with the program and the data of a commit in place of its own. Files come
// from git's objects: a link, a submodule, a filter or a file that is not listed below never gets there.

import { execFileSync } from "node:child_process";
import { chmod, cp, mkdir, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";

/** Program and data: names in lower case, which no tool below looks for. Add the endings of your own lists. */
const TRIED = /^(?:[a-z0-9-]+\/)*[a-z0-9_-]+\.(?:ts|yaml|txt|csv|netset)$/;

/**
 * What acts by its name, and who says so. These files are those of the target branch in a review, and a comment names a change of
 * them.
 *
 * - Pulumi's CLI: `Pulumi.*`, found upwards, `.json` before `.yaml` (pulumi/pulumi, sdk/go/common/workspace/paths.go and
 *   sdk/go/common/encoding/marshal.go); `plugins.languages[].path` and `runtime.options` in it start programs (workspace/project.go)
 * - Pulumi's language host for Node: `package.json`, `package.yaml`, `tsconfig*` with the options of ts-node, `node_modules`
 *   (sdk/nodejs/cmd/run/run.ts)
 * - npm: `npm-shrinkwrap.json` before `package-lock.json` (docs.npmjs.com, npm-shrinkwrap.json), `.npmrc` with `git` and
 *   `node-options` (docs.npmjs.com, config), scripts of `package.json` (docs.npmjs.com, scripts)
 * - pnpm, Yarn, Bun: their lock files and settings (packagemanager of `runtime.options`, pulumi.com/docs/iac/languages-sdks/javascript)
 * - version managers: `.nvmrc` (nvm-sh/nvm), `.node-version` (actions/setup-node), `.tool-versions` (asdf-vm.com)
 * - git: `.gitattributes`, `.gitmodules` (git-scm.com/docs)
 */
export const ACTING = {
  policies: /(^|\/)(packetfilter-policies|policy-config)[^/]*$/,
  "limits and settings of stacks": /(^|\/)Pulumi[^/]*$/i,
  "scripts and pipelines": /^(ci|\.github|\.gitlab|\.target|review-results)(\/|$)|^\.gitlab-ci\.yml$|(^|\/)\.git[^/]*$/,
  dependencies:
    /(^|\/)(package\.(json|yaml)|package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-[^/]*|bun\.lockb?|\.npmrc|\.yarnrc[^/]*|node_modules)(\/|$)/,
  "settings of Node and TypeScript": /(^|\/)(tsconfig[^/]*|\.nvmrc|\.node-version|\.tool-versions|\.swcrc)$/,
};

/** Texts for people, which nothing reads. */
const TEXTS = /\.md$|^(LICENSE|\.gitignore)$/;

const LARGEST_CHANGE = 64 * 2 ** 20;

/** True for a file of a change that the review tries. */
function isTried(path) {
  return TRIED.test(path) && !Object.values(ACTING).some((pattern) => pattern.test(path));
}

/** True for a file that a review neither tries nor knows by its name. */
export function isOther(path) {
  return !isTried(path) && !TEXTS.test(path);
}

/** Regular files of a commit that are tried, with their objects. */
function triedFiles(git, commit) {
  const list = git(["ls-tree", "-r", "-l", "-z", "--full-tree", commit]).toString("utf8");
  const files = list.split("\0").flatMap((line) => {
    const [, mode, hash, size, path] = /^(\d+) blob (\S+) +(\d+)\t(.*)$/s.exec(line) ?? [];
    return path !== undefined && mode.startsWith("100") && isTried(path) ? [{ hash, path, bytes: Number(size) }] : [];
  });
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > LARGEST_CHANGE) throw new Error(`${commit} has more than ${LARGEST_CHANGE} bytes of program and data.`);
  return files;
}

async function make([repository, commit, target, folder]) {
  const git = (args, input) =>
    execFileSync("git", ["-C", repository, ...args], { input, maxBuffer: 4 * LARGEST_CHANGE });
  const files = triedFiles(git, commit);
  const skipped = new Set([".git", "node_modules", "review-results", ".target"]);
  await cp(target, folder, {
    recursive: true,
    dereference: true,
    filter: (path) => !skipped.has(relative(target, path)) && !isTried(relative(target, path)),
  });
  const content = git(["cat-file", "--batch"], files.map(({ hash }) => `${hash}\n`).join(""));
  let at = 0;
  for (const { path, bytes } of files) {
    at = content.indexOf("\n", at) + 1;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content.subarray(at, at + bytes), { flag: "wx" });
    await chmod(join(folder, path), 0o644);
    at += bytes + 1;
  }
}

if (argv[1] === fileURLToPath(import.meta.url)) await make(argv.slice(2));
