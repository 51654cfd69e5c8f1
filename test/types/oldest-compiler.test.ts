import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type TypeScript from "typescript";
import { expect, test } from "vitest";
import { root } from "../support/markdown";

// Pulumi compiles a program by a TypeScript of its own where none is installed: after the README's `npm install`, that is.
const vendor = join(root, "node_modules/@pulumi/pulumi/vendor");
const [brought = ""] = readdirSync(vendor).filter((name) => name.startsWith("typescript@"));
const ts: typeof TypeScript = createRequire(__filename)(join(vendor, brought, "typescript.js"));

const kept = execFileSync("git", ["ls-files", "examples/**.ts", "templates/**.ts"], { cwd: root, encoding: "utf8" });
const programs = kept.split("\n").filter((file) => /\bindex\.ts$/.test(file));

/** Errors of programs in the root, by the options of Pulumi. Those of declarations are not shown to a user, as there. */
function errorsOf(files: readonly string[], texts: Readonly<Record<string, string>> = {}): string[] {
  const options = {
    target: ts.ScriptTarget.ES2020,
    module: ts.ModuleKind.CommonJS,
    moduleResolution: ts.ModuleResolutionKind.NodeJs,
    baseUrl: root,
    paths: { "pulumi-packetfilter": ["dist/provider"], "pulumi-packetfilter/*": ["dist/provider/*"] },
    esModuleInterop: true,
    skipLibCheck: true,
    strict: true,
    noEmit: true,
    types: [],
  } satisfies TypeScript.CompilerOptions;
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = host;
  host.readFile = (file) => texts[file] ?? readFile(file);
  host.fileExists = (file) => file in texts || fileExists(file);
  const program = ts.createProgram(
    files.map((file) => join(root, file)),
    options,
    host,
  );
  return files.flatMap((file) => {
    const source = program.getSourceFile(join(root, file));
    if (!source) throw new Error(`${file} was not read.`);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ messageText }) => `${file}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
    );
  });
}

test("examples and templates compile by the TypeScript that Pulumi brings", () => {
  expect(ts.version).toMatch(/^3\./);
  expect(programs.length).toBeGreaterThan(12);
  expect(errorsOf(programs)).toEqual([]);
});

test("it reads the types: entries that are none are an error", () => {
  const text = (entries: string) =>
    `import * as pf from "pulumi-packetfilter";\nnew pf.PrefixSet("a", { arena: "edge", set: "a", entries: ${entries} });\n`;
  const texts = {
    "record.ts": text(`{ "192.0.2.0/24": 1 }`),
    "pairs.ts": text(`[["192.0.2.0/24", 1]]`),
    "wrong.ts": text("7"),
  };
  const files = Object.fromEntries(Object.entries(texts).map(([name, text]) => [join(root, name), text]));
  expect(errorsOf(Object.keys(texts), files)).toEqual([
    expect.stringMatching(/^wrong.ts: .* not assignable to type 'EntriesInput'/),
  ]);
});
