// Fifteen sentences of messages, comments and pages, drawn by a seed, for an editor to judge (docs/contributing/style.md): node tools/draw-sentences.mjs SEED
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const seed = Number(process.argv[2] ?? 1);
const EACH = 5;
const LEAST_WORDS = 5;

const files = (...patterns) =>
  execFileSync("git", ["ls-files", ...patterns], { cwd: root, encoding: "utf8" })
    .split("\n")
    .filter((file) => file !== "" && !/^docs\/reference\//.test(file));
const read = (file) => readFileSync(`${root}/${file}`, "utf8");
const sentences = (text) =>
  text
    .replace(/\s+/g, " ")
    .split(/(?<=[.!?:]) (?=[A-Z`*"])/)
    .map((one) => one.trim())
    .filter((one) => one.split(" ").length >= LEAST_WORDS && !/^(SELECT|INSERT|UPDATE|DELETE|CREATE) /.test(one));

const SOURCES = {
  comment: {
    files: files("provider/*.ts", "policies/*.ts"),
    texts: (text) =>
      [...text.matchAll(/\/\*\*([\s\S]*?)\*\/|^\s*\/\/ (.*)$/gm)].map(([, block = "", line = ""]) =>
        `${block}${line}`.replace(/```[\s\S]*?```/g, "").replace(/^\s*\* ?/gm, ""),
      ),
  },
  message: {
    files: files("provider/*.ts", "policies/*.ts"),
    texts: (text) =>
      [...text.matchAll(/(?<![\w"`])[`"]((?:[A-Z][^`"\n]*|[^`"\n]*\$\{[^`"\n]*) [^`"\n]*)[`"]/g)].map(([, one]) => one),
  },
  page: {
    files: files("*.md"),
    texts: (text) => text.replace(/```[\s\S]*?```/g, "").split(/\n\n|\n(?=\s*(?:- |\d+\. |\|))/),
  },
};

/** Numbers from 0 to 1 by a seed: mulberry32. */
function random(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const next = random(seed);
for (const [kind, source] of Object.entries(SOURCES)) {
  const all = source.files.flatMap((file) =>
    source
      .texts(read(file))
      .flatMap(sentences)
      .map((text) => ({ file, text })),
  );
  for (let drawn = 0; drawn < EACH; drawn++) {
    const { file, text } = all[Math.floor(next() * all.length)];
    console.log(`${kind}, ${file}: ${text}`);
  }
}
