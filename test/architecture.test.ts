import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";

const root = resolve(__dirname, "..");

/** What each part of the source may import, besides itself. A part that is not named here is an error. */
const MAY_IMPORT: Record<string, string[]> = {
  model: [],
  wire: ["model"],
  client: ["model", "wire"],
  batch: ["model", "wire", "client"],
  resources: ["model", "wire", "client", "batch"],
  "provider.ts": ["model", "wire", "client", "batch", "resources"],
  emulator: ["model"],
  pulumi: ["model", "client", "resources"],
  "index.ts": ["model", "client", "pulumi", "resources"],
  // Reads a real node into an emulator state: the one place where both sides meet.
  capture: ["model", "client", "emulator"],
  commands: ["model", "client", "capture", "emulator"],
  "cli.ts": ["commands"],
};

/** Modules that exactly one part of the source imports, so that it can be replaced there. */
const ONLY_IMPORTERS: Record<string, RegExp> = {
  "ipaddr.js": /^provider\/model\/prefix\.ts$/,
  undici: /^provider\/client\/http\.ts$/,
  "@pulumi/pulumi": /^provider\/pulumi\/|^policies\/pack\.ts$/,
  "@pulumi/policy": /^policies\/(pulumi\/|pack\.ts$)/,
  commander: /^provider\/commands\//,
};

/** Files where environment and console come in; all others get them as arguments. */
const OPEN_TO_THE_WORLD = [
  /^provider\/(cli|client\/options)\.ts$/,
  /^provider\/pulumi\/settings\.ts$/,
  /^provider\/resources\/provider-process\.ts$/,
  /^policies\/(config\/load|start-run)\.ts$/,
];

interface Source {
  file: string;
  syntax: ts.SourceFile;
  imports: { name: string; typeOnly: boolean }[];
}

const sources: Source[] = ["provider", "policies"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.includes("node_modules"))
    // A program for browsers, bundled with its libraries: see the test of it below.
    .filter((name) => !name.startsWith("emulator/page/client/"))
    .map((name) => {
      const file = `${folder}/${name}`;
      const syntax = ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), ts.ScriptTarget.ES2022);
      return { file, syntax, imports: importsOf(syntax) };
    }),
);

/** Calls `visit` for every node of a file. */
function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

/** All imports, re-exports, `import()` and `require()` of a file; `typeOnly` ones are gone at run time. */
function importsOf(syntax: ts.SourceFile): Source["imports"] {
  const found: Source["imports"] = [];
  walk(syntax, (node) => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) {
      const clause = ts.isImportDeclaration(node) ? node.importClause : node;
      const named = ts.isImportDeclaration(node) ? node.importClause?.namedBindings : node.exportClause;
      const members = named && (ts.isNamedImports(named) || ts.isNamedExports(named)) ? [...named.elements] : [];
      const hasDefault = ts.isImportDeclaration(node) && node.importClause?.name !== undefined;
      const allTypes = !hasDefault && members.length > 0 && members.every(({ isTypeOnly }) => isTypeOnly);
      const name = (node.moduleSpecifier as ts.StringLiteral).text;
      found.push({ name, typeOnly: clause?.isTypeOnly === true || allTypes });
    }
    const [argument] = ts.isCallExpression(node) ? node.arguments : [];
    const called = ts.isCallExpression(node) ? node.expression : undefined;
    const imports =
      called?.kind === ts.SyntaxKind.ImportKeyword || (called && ts.isIdentifier(called) && called.text === "require");
    if (imports && argument && ts.isStringLiteral(argument)) found.push({ name: argument.text, typeOnly: false });
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      found.push({ name: (node.argument.literal as ts.StringLiteral).text, typeOnly: true });
    }
  });
  return found;
}

/** `provider/client/http.ts` belongs to `client`, `provider/index.ts` to `index.ts`. */
const partOf = (file: string) => file.split("/")[1] ?? "";

/** The file that a relative import means, from the root of the clone. */
function target(from: string, specifier: string): string {
  const base = relative(root, resolve(root, dirname(from), specifier)).replace(/\.js$/, "");
  return [`${base}.ts`, `${base}/index.ts`].find((file) => sources.some((source) => source.file === file)) ?? base;
}

const relativeImports = (source: Source, imports = source.imports) =>
  imports.filter(({ name }) => name.startsWith(".")).map(({ name }) => target(source.file, name));

test("there is source to look at", () => {
  expect(sources.length).toBeGreaterThan(50);
  expect(sources.flatMap(({ imports }) => imports).length).toBeGreaterThan(200);
});

test("imports point one way: model <- wire <- client <- batch <- resources <- provider, and model <- emulator", () => {
  const wrong = sources
    .filter(({ file }) => file.startsWith("provider/"))
    .flatMap((source) =>
      relativeImports(source)
        .filter((imported) => imported.startsWith("provider/"))
        .filter((imported) => {
          const [from, to] = [partOf(source.file), partOf(imported)];
          return from !== to && !MAY_IMPORT[from]?.includes(to);
        })
        .map((imported) => `${source.file} imports ${imported}`),
    );
  expect(wrong).toEqual([]);
});

test("policies know of the package what its users know, and the values of the model", () => {
  const wrong = sources
    .filter(({ file }) => file.startsWith("policies/"))
    .flatMap((source) => relativeImports(source).filter((imported) => imported.startsWith("provider/")));
  expect(wrong.filter((file) => file !== "provider/index.ts" && partOf(file) !== "model")).toEqual([]);
});

test("every part of the source has its rule", () => {
  const parts = new Set(sources.filter(({ file }) => file.startsWith("provider/")).map(({ file }) => partOf(file)));
  expect([...parts].filter((part) => MAY_IMPORT[part] === undefined)).toEqual([]);
});

test("the source imports nothing outside of itself but packages", () => {
  const outside = sources.flatMap((source) =>
    relativeImports(source)
      .filter((imported) => !sources.some(({ file }) => file === imported))
      .map((imported) => `${source.file} imports ${imported}`),
  );
  expect(outside).toEqual([]);
});

test("the classes reach the handlers only through the provider text: nothing that they load leads there", () => {
  const bySource = new Map(sources.map((source) => [source.file, source]));
  const reached = new Set<string>();
  const visit = (file: string): void => {
    const source = bySource.get(file);
    if (!source || reached.has(file)) return;
    reached.add(file);
    const loaded = source.imports.filter(({ typeOnly }) => !typeOnly);
    for (const imported of relativeImports(source, loaded)) visit(imported);
  };
  for (const { file } of sources) if (file.startsWith("provider/pulumi/")) visit(file);
  const handlers =
    /^provider\/(provider\.ts|batch\/|resources\/(handler|runtime)\.ts|resources\/(prefix-set|prefix-set-entry|cloud-signaling)\/)/;
  expect(reached.size).toBeGreaterThan(5);
  expect([...reached].filter((file) => handlers.test(file))).toEqual([]);
});

describe("packages", () => {
  test.each(Object.entries(ONLY_IMPORTERS))("%s is imported in its one place only", (name, place) => {
    const importers = sources.filter(({ imports }) =>
      imports.some((one) => one.name === name || one.name.startsWith(`${name}/`)),
    );
    expect(importers.map(({ file }) => file).filter((file) => !place.test(file))).toEqual([]);
  });

  test("that are imported are dependencies of the package, not only of its development", () => {
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const declared = new Set([...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies)]);
    const names = sources
      .flatMap(({ imports }) => imports.map(({ name }) => name))
      .filter((name) => !name.startsWith(".") && !name.startsWith("node:"));
    const packages = new Set(names.map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name));
    expect([...packages].filter((name) => !declared.has(name))).toEqual([]);
  });
});

test("environment and console are touched only where a process begins", () => {
  const touches = ({ syntax }: Source) => {
    const found: string[] = [];
    walk(syntax, (node) => {
      if (!ts.isPropertyAccessExpression(node) || !ts.isIdentifier(node.expression)) return;
      const used = `${node.expression.text}.${node.name.text}`;
      if (used === "process.env" || used.startsWith("console.")) found.push(used);
    });
    return found;
  };
  const wrong = sources
    .filter(({ file }) => !OPEN_TO_THE_WORLD.some((open) => open.test(file)))
    .flatMap((source) => touches(source).map((used) => `${source.file}: ${used}`));
  expect(wrong).toEqual([]);
});

test("the emulator's page is a program of its own: nothing imports it, and it imports its libraries only", () => {
  const folder = "provider/emulator/page/client";
  const files = readdirSync(join(root, folder), { encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name));
  const imported = files.flatMap((name) => {
    const text = readFileSync(join(root, folder, name), "utf8");
    return importsOf(ts.createSourceFile(name, text, ts.ScriptTarget.ES2022)).map((one) => one.name);
  });
  expect(files.length).toBeGreaterThan(10);
  expect([...new Set(imported)].filter((name) => !/^\.\/[a-z-]+$|^preact(\/hooks)?$|^uplot$/.test(name))).toEqual([]);
  const importers = sources.filter((source) => relativeImports(source).some((file) => file.startsWith(`${folder}/`)));
  expect(importers.map(({ file }) => file)).toEqual([]);
});
