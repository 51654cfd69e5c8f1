import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = resolve(__dirname, "..");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const code = Object.entries(manifest.exports as Record<string, { types: string; default: string }>).filter(
  ([subpath]) => subpath !== "./package.json",
);
const specifiers = code.map(([subpath]) => subpath.replace(/^\./, manifest.name));

/** A folder like that of a project that has the package installed. */
let consumer: string;
/** The names that each specifier exports where it runs. */
let exported: readonly (readonly string[])[];

beforeAll(async () => {
  const { buildIfStale } = await import("../tools/build.mjs");
  buildIfStale();
  consumer = mkdtempSync(join(tmpdir(), "packetfilter-consumer-"));
  mkdirSync(join(consumer, "node_modules"));
  symlinkSync(root, join(consumer, "node_modules", manifest.name), "dir");
  symlinkSync(join(root, "node_modules", "@types"), join(consumer, "node_modules", "@types"), "dir");
  const script = `process.stdout.write(JSON.stringify(${JSON.stringify(specifiers)}.map((name) => Object.keys(require(name)))))`;
  exported = JSON.parse(execFileSync(process.execPath, ["-e", script], { cwd: consumer, encoding: "utf8" }));
}, 60_000);
afterAll(() => rmSync(consumer, { recursive: true, force: true }));

test.each(code)("exports %s are built, with types", (_, entry) => {
  expect([existsSync(join(root, entry.default)), existsSync(join(root, entry.types))]).toEqual([true, true]);
});

describe("types", () => {
  const modes = {
    node10: { module: ts.ModuleKind.CommonJS, moduleResolution: ts.ModuleResolutionKind.Node10 },
    node16: { module: ts.ModuleKind.Node16, moduleResolution: ts.ModuleResolutionKind.Node16 },
    bundler: { module: ts.ModuleKind.ES2022, moduleResolution: ts.ModuleResolutionKind.Bundler },
  };

  test.each(Object.entries(modes))("resolve under moduleResolution %s, from every subpath", (_, options) => {
    const file = join(consumer, "program.ts");
    const lines = specifiers.map(
      (name, index) => `import * as m${index} from "${name}"; export type T${index} = keyof typeof m${index};`,
    );
    // What another file has than the one that runs would lack these.
    const named = specifiers.map((name, index) => {
      const names = exported[index]?.map((one) => `${one} as ${one}${index}`) ?? [];
      return `export { ${names.join(", ")} } from "${name}";`;
    });
    // An import that resolves to nothing or to `any` would accept any name.
    const strict = specifiers.map((name, index) => `// @ts-expect-error\nexport { no${index} } from "${name}";`);
    writeFileSync(file, [...lines, ...named, ...strict].join("\n"));
    const program = ts.createProgram([file], {
      ...options,
      noEmit: true,
      strict: true,
      skipLibCheck: true,
      target: ts.ScriptTarget.ES2022,
      lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts"],
      types: ["node"],
      typeRoots: [join(root, "node_modules", "@types")],
    });
    const messages = ts.getPreEmitDiagnostics(program).map(({ messageText, file: where }) => ({
      where: where?.fileName.replace(consumer, "").replace(root, ""),
      message: ts.flattenDiagnosticMessageText(messageText, "\n"),
    }));
    expect(messages).toEqual([]);
  });
});

describe("at run time", () => {
  test.each(specifiers)('import of "%s" gives an ES module the same names', (name) => {
    const script = `import * as all from "${name}"; import { createRequire } from "node:module";
      const names = Object.keys(createRequire(import.meta.url)("${name}"));
      process.stdout.write(JSON.stringify(names.filter((one) => !(one in all))));`;
    writeFileSync(join(consumer, "program.mjs"), script);
    expect(execFileSync(process.execPath, ["program.mjs"], { cwd: consumer, encoding: "utf8" })).toBe("[]");
  });

  test("a provider loads no HTTP before its first request, then undici's connections only", () => {
    const script = `
      const loaded = () => Object.keys(require.cache).map((file) => file.split(/node_modules[/\\\\]/).at(-1));
      const libraries = () => loaded().flatMap((file) => /libraries[/\\\\]([a-z-]+).js$/.exec(file)?.[1] ?? []).sort();
      require("pulumi-packetfilter/provider");
      const before = libraries();
      const { NodeClient } = require("pulumi-packetfilter/client");
      const url = { kind: "prefixset", arena: "edge", set: "blocked" };
      const list = new NodeClient({ endpoint: "http://127.0.0.1:1" }, { maxTries: 1 }).listPrefixSet(url);
      list.catch((error) => {
        process.stdout.write(JSON.stringify({ before, after: libraries(), files: loaded().length, code: error.code }));
      });`;
    const seen = JSON.parse(execFileSync(process.execPath, ["-e", script], { cwd: consumer, encoding: "utf8" }));
    expect(seen).toEqual({
      before: ["ipaddr", "rolldown-runtime", "zod"],
      after: ["ipaddr", "rolldown-runtime", "undici-agent", "util", "zod"],
      files: expect.any(Number),
      code: "request-not-sent",
    });
    // With one file for each source and libraries as they are published: 268 and 40 more.
    expect(seen.files).toBeLessThanOrEqual(60);
  });

  test("a program loads no package beside Pulumi, of the libraries one, and a fifth of the code", () => {
    const script = `
      require(${JSON.stringify(require.resolve("@pulumi/pulumi"))});
      const before = new Set(Object.keys(require.cache));
      require("pulumi-packetfilter");
      const loaded = Object.keys(require.cache).filter((file) => !before.has(file));
      const packages = loaded.flatMap((file) => file.split(/node_modules[/\\\\]/)[1]?.split(/[/\\\\]/)[0] ?? []);
      const own = loaded.filter((file) => !file.includes("node_modules"));
      const libraries = own.flatMap((file) => /libraries[/\\\\]([a-z-]+).js$/.exec(file)?.[1] ?? []);
      const bytes = own.reduce((sum, file) => sum + require("node:fs").statSync(file).size, 0);
      process.stdout.write(JSON.stringify({ packages: [...new Set(packages)].sort(), libraries, bytes }));`;
    const seen = JSON.parse(execFileSync(process.execPath, ["-e", script], { cwd: consumer, encoding: "utf8" }));
    expect(seen).toEqual({ packages: [], libraries: ["ipaddr"], bytes: expect.any(Number) });
    // Of 2 100 000: the readers of lists, the classes (that of groups among them), their settings, spellings as written, and the arithmetic of prefixes.
    expect(seen.bytes).toBeLessThanOrEqual(420_000);
  });

  test("nothing else can be required, so that what is inside can change", () => {
    const { resolve: find } = createRequire(join(consumer, "program.js"));
    expect(() => find(`${manifest.name}/dist/provider/engine/handler.js`)).toThrow("is not defined by");
  });
});

test.each(code)("every value that the types of %s export is there", (subpath, { types }) => {
  const file = join(root, types);
  const program = ts.createProgram([file], {
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  const values = module ? checker.getExportsOfModule(module).filter((one) => isValue(one, checker)) : [];
  const names = values.map(({ name }) => name);
  expect(names.toSorted()).toEqual(exported[code.findIndex(([one]) => one === subpath)]?.toSorted());
});

/** True for what an importer may use where a value is wanted. */
function isValue(symbol: ts.Symbol, checker: ts.TypeChecker): boolean {
  const isTypeOnly = symbol.declarations?.some(
    (one) => ts.isExportSpecifier(one) && (one.isTypeOnly || one.parent.parent.isTypeOnly),
  );
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  return !isTypeOnly && (target.flags & ts.SymbolFlags.Value) !== 0;
}

describe("the provider text finds the package", () => {
  // As the dynamic provider of Pulumi evaluates it: only node_modules folders upwards of the working directory count.
  const evaluate = `
    const requireFromString = require(${JSON.stringify(createRequire(require.resolve("@pulumi/pulumi")).resolve("require-from-string"))});
    process.stdout.write(requireFromString('module.exports = require.resolve("pulumi-packetfilter/provider")'));`;

  test.each(["examples/quickstart", "."])("in %s of the clone", (folder) => {
    const found = execFileSync(process.execPath, ["-e", evaluate], { cwd: join(root, folder), encoding: "utf8" });
    expect(found).toBe(join(root, manifest.exports["./provider"].default));
  });

  test("in a program that installed it", () => {
    const found = execFileSync(process.execPath, ["-e", evaluate], { cwd: consumer, encoding: "utf8" });
    expect(found).toBe(join(root, manifest.exports["./provider"].default));
  });
});

describe("the lock file", () => {
  const text = readFileSync(join(root, "package-lock.json"), "utf8");
  const packages: Record<string, { resolved?: string; link?: boolean; optionalDependencies?: Record<string, string> }> =
    JSON.parse(text).packages;

  test("names no registry and no machine", () => {
    expect(text.match(/https?:\/\/[^"]*\.tgz|registry\.[\w.]+/g) ?? []).toEqual([]);
    expect(Object.entries(packages).filter(([, { resolved, link }]) => resolved && !link)).toEqual([]);
  });

  /** A package's folder and those above it, in which Node looks for what it needs. */
  const above = (path: string): string[] => {
    const parts = path.split("/node_modules/");
    return ["", ...parts.map((_, index) => `${parts.slice(0, index + 1).join("/node_modules/")}/`)];
  };

  test("has an entry for every platform, without which npm ci refuses it", () => {
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) => !above(path).some((folder) => packages[`${folder}node_modules/${name}`]),
      ),
    );
    expect(missing).toEqual([]);
  });
});

/** The package that npm would make of a folder. */
function packedOf(folder: string): { files: { path: string }[]; unpackedSize: number } {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts", "--loglevel=error"];
  return [JSON.parse(execFileSync("npm", args, { cwd: folder, encoding: "utf8" }))].flat()[0];
}

describe("what npm publishes", () => {
  let files: string[];
  let bytes: number;
  beforeAll(() => {
    const packed = packedOf(root);
    files = packed.files.map(({ path }) => path);
    bytes = packed.unpackedSize;
  }, 60_000);

  test("is the build, the policy pack, the schemas, the documentation with its examples and the papers, and nothing else", () => {
    const expected = [
      /^(package\.json|README\.md|CHANGELOG\.md|CONTRIBUTING\.md|LICENSE)$/,
      /^dist\/(provider|policies)\/.*\.(js|d\.ts)$/,
      /^dist\/(parts\/[a-z0-9-]+\.js|libraries\/([a-z-]+\.js|license\.txt))$/,
      /^dist\/page\/(index\.html|app\.js|app\.css|icon\.svg|licenses\.txt)$/,
      /^plugin\/pulumi-resource-packetfilter(\.cmd)?$/,
      /^policies\/[^/]+$/,
      /^schemas\/[^/]+\.json$/,
      /^docs\/((guides|reference|contributing)\/)?[^/]+\.md$/,
      /^docs\/pictures\/page-sets\.webp$/,
      /^examples\/(?!.*node_modules)/,
      /^templates\/(typescript|python|yaml)\//,
    ];
    const unexpected = files.filter((file) => !expected.some((pattern) => pattern.test(file)));
    expect(unexpected).toEqual([]);
    const code = files.filter((file) => !/^(examples|docs|templates)\//.test(file));
    expect(code.filter((file) => /(?<!\.d)\.ts$|\btests?\b|\btools\b/.test(file))).toEqual([]);
  });

  test("of examples and documentation is what the repository keeps: nothing that a run or a tool left there", () => {
    const left = [
      "examples/python/venv/pyvenv.cfg",
      "examples/python/__pycache__/main.pyc",
      "examples/python/.mypy_cache/x",
      "examples/go/sdks/packetfilter/go.mod",
    ];
    const kept = ["docs/configuration.md", "examples/python/__main__.py"];
    const folder = mkdtempSync(join(tmpdir(), "packetfilter-packed-"));
    for (const file of [...left, "docs/api/index.md", "examples/go/.target/x", ...kept]) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), "");
    }
    writeFileSync(join(folder, "package.json"), JSON.stringify({ ...manifest, scripts: {} }));
    const packed = packedOf(folder).files.map(({ path }) => path);
    rmSync(folder, { recursive: true });
    expect(packed.sort()).toEqual([...kept, "package.json"].sort());
  });

  test("has every file of examples/", () => {
    const git = execFileSync("git", ["ls-files", "-z", "examples"], { cwd: root, encoding: "utf8" });
    const kept = git.split("\0").filter((file) => file !== "" && existsSync(join(root, file)));
    expect(files.filter((file) => file.startsWith("examples/")).sort()).toEqual(kept.sort());
  });

  test("has its comments in the declarations, which editors show, and in the programs the name of each source", () => {
    const lines = (ending: RegExp, line: RegExp) =>
      files
        .filter((file) => /^dist\/(provider|policies|parts)\//.test(file) && ending.test(file))
        .flatMap((file) => readFileSync(join(root, file), "utf8").match(line) ?? []);
    const comments = lines(/\.js$/, /^\s*(\/\*|\/\/).*/gm).map((line) => /^\/\/ (.*)\.[jt]s$/.exec(line)?.[1] ?? line);
    // Each source with code is in one file: classes and registries are there once.
    expect(comments.sort()).toEqual([...new Set(comments)].sort());
    expect(comments.filter((name) => !existsSync(join(root, `${name}.ts`)))).toEqual(["\\0rolldown/runtime"]);
    expect(comments.length).toBeGreaterThan(400);
    expect(lines(/\.d\.ts$/, /^\s*\/\*\*.*/m).length).toBeGreaterThan(100);
  });

  test("stays below 4.6 MB and 600 files", () => {
    expect(bytes).toBeLessThan(4_600_000);
    expect(files.length).toBeLessThan(600);
  });

  test("holds what it must", () => {
    const bin = Object.values(manifest.bin as Record<string, string>);
    const entries = code.flatMap(([, entry]) => [entry.default, entry.types]);
    const needed = [...entries, ...bin].map((file) => file.replace(/^\.\//, ""));
    const papers = ["package.json", "README.md", "CHANGELOG.md", "LICENSE", "policies/PulumiPolicy.yaml"];
    const page = ["index.html", "app.js", "app.css", "icon.svg", "licenses.txt"].map((name) => `dist/page/${name}`);
    expect(files).toEqual(expect.arrayContaining([...needed, ...papers, ...page]));
  });

  test("is strict code, each file by its first line", () => {
    const programs = files.filter((file) => /^dist\/(?!page\/).*\.js$/.test(file));
    const sloppy = programs.filter((file) => !/^(?:#!.*\n)?"use strict";/.test(readFileSync(join(root, file), "utf8")));
    expect(programs.length).toBeGreaterThan(50);
    expect(sloppy).toEqual([]);
    // What a browser loads is a module, which is always strict.
    const page = readFileSync(join(root, "dist/page/index.html"), "utf8");
    expect(page.match(/<script[^>]*>/g)).toEqual([expect.stringContaining('type="module"')]);
  });

  test("runs as a command", () => {
    const bin = readFileSync(join(root, manifest.bin[manifest.name]), "utf8");
    expect(bin.startsWith("#!/usr/bin/env node\n")).toBe(true);
  });
});
