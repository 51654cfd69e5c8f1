import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";

const root = resolve(__dirname, "..");

/** The way of a change from a program to the wire, backwards: each may import those that stand before it. */
const LAYERS = [
  "model",
  "wire",
  "client",
  "messages",
  "apply",
  "settings",
  "reconcile",
  "engine",
  "deployment",
  "resources",
  "provider.ts",
];

/** Imports of a layer beside those before it: the audit log, and the files that processes of a deployment leave for each other. */
const ALSO: Record<string, string[]> = { apply: ["files"], deployment: ["files"] };

/** Imports of the parts beside that way, besides themselves. A part that is named nowhere is an error. */
const BESIDE: Record<string, string[]> = {
  // A second implementation: what it shared with the client would be a mistake that no test can see.
  emulator: ["model", "files"],
  // Files that are whole at any moment, for all that write some.
  files: ["model"],
  // A document of records tells a part of a list as an answer does.
  prefixes: ["model", "files", "wire"],
  pulumi: ["model", "client", "settings", "reconcile", "engine", "deployment", "resources"],
  "index.ts": ["model", "client", "prefixes", "pulumi", "settings/settings.ts"],
  // Reads a real node into an emulator state: the one place where both sides meet.
  capture: ["model", "client", "emulator/state", "emulator/marks", "emulator/rules"],
  // What a node holds, as the states that the resources would write and as a program.
  import: ["model", "files", "client", "engine", "resources"],
  forwarder: ["model", "files", "wire", "client"],
  // What a preview is about to do, from what the engine prints of it.
  report: ["model", "client", "prefixes", "reconcile", "engine", "resources"],
  // What a node does, as data: it knows the emulator's switches by name only.
  probe: ["model", "wire", "client"],
  commands: [
    "model",
    "client",
    "messages",
    "apply",
    "settings",
    "reconcile",
    "engine",
    "prefixes",
    "files",
    "import",
    "capture",
    "emulator",
    "forwarder",
    "probe",
    "report",
    // Block shares the notes of removals that a killed run left staged.
    "deployment/other-processes.ts",
    "deployment/sent-before.ts",
    "deployment/sent-files.ts",
  ],
  // The engine's protocol for every language, over the same handlers.
  plugin: ["model", "files", "prefixes", "settings", "reconcile", "engine", "deployment", "resources", "provider.ts"],
  "cli.ts": ["commands"],
};

/** Packages that only these places import, so that each can be replaced there. A path that ends with / is a folder. */
const ONLY_IMPORTERS: Record<string, string[]> = {
  "ipaddr.js": ["provider/model/prefix-text.ts"],
  undici: ["provider/client/http.ts"],
  "@pulumi/pulumi": ["provider/pulumi/", "provider/plugin/", "provider/emulator/testing/run-program.ts"],
  "@pulumi/policy": ["policies/pulumi/", "policies/pack.ts"],
  commander: ["provider/commands/"],
};

/** Files where environment and console come in; all others get them as arguments. */
const OPEN_TO_THE_WORLD = [
  // What loads code asks the process itself: an environment that is passed could be another one.
  "provider/cli.ts",
  "provider/client/allowed-code.ts",
  "provider/emulator/testing/run-program.ts",
  "provider/pulumi/settings.ts",
  "provider/deployment/provider-process.ts",
  "policies/config/load.ts",
  "policies/start-pack.ts",
  "policies/start-run.ts",
];

/** Modules that the classes must not load. */
const HANDLERS = [
  "provider/provider.ts",
  "provider/apply/",
  "provider/engine/handler.ts",
  "provider/engine/dynamic-provider.ts",
  "provider/deployment/runtime.ts",
  "provider/deployment/connections.ts",
  "provider/deployment/node-in-use.ts",
  "provider/deployment/receiver-in-use.ts",
  "provider/resources/resource-set.ts",
  "provider/resources/receiver-access.ts",
  "provider/resources/prefix-set/",
  "provider/resources/prefix-set-entry/",
  "provider/resources/prefix-set-group/",
  "provider/resources/cloud-signaling/",
];

const isIn = (file: string, place: string) => (place.endsWith("/") ? file.startsWith(place) : file === place);

interface Source {
  file: string;
  syntax: ts.SourceFile;
  imports: { name: string; typeOnly: boolean }[];
}

/** A program for browsers, bundled with its libraries: see the test of it below. */
const PAGE = "provider/emulator/page/client/";

const everything: Source[] = ["provider", "policies"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes("node_modules"))
    .map((name) => {
      const file = `${folder}/${name}`;
      const syntax = ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), ts.ScriptTarget.ES2022);
      return { file, syntax, imports: importsOf(syntax) };
    }),
);
const sources = everything.filter(({ file }) => !file.startsWith(PAGE));
const page = everything.filter(({ file }) => file.startsWith(PAGE));

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
  const files = [`${base}.ts`, `${base}.tsx`, `${base}/index.ts`];
  return files.find((file) => everything.some((source) => source.file === file)) ?? base;
}

const relativeImports = (source: Source, imports = source.imports) =>
  imports.filter(({ name }) => name.startsWith(".")).map(({ name }) => target(source.file, name));

/**
 * The circles among these files, each as the files on its way and the first one again: a shortest circle through
 * every file that is on one, and each circle once.
 */
function circlesOf(files: readonly Source[]): string[][] {
  const imports = new Map(files.map((source) => [source.file, [...new Set(relativeImports(source))]]));
  const circles = [...imports.keys()]
    .map((file) => circleThrough(file, imports))
    .filter((circle) => circle !== undefined);
  return [...new Map(circles.map((circle) => [[...new Set(circle)].sort().join(), circle])).values()];
}

/** Goes one import further at a time until the file comes up again. */
function circleThrough(start: string, imports: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const seen = new Set<string>();
  for (let ways = [[start]]; ways.length > 0; ) {
    const further: string[][] = [];
    for (const way of ways) {
      for (const next of imports.get(way.at(-1) ?? "") ?? []) {
        if (next === start) return [...way, start];
        if (seen.has(next)) continue;
        seen.add(next);
        further.push([...way, next]);
      }
    }
    ways = further;
  }
  return undefined;
}

test("there is source to look at", () => {
  expect(sources.length).toBeGreaterThan(50);
  expect(sources.flatMap(({ imports }) => imports).length).toBeGreaterThan(200);
});

/** Imports between parts of `provider/`, each with the permission that allows it, if one does. */
const crossings = sources
  .filter(({ file }) => file.startsWith("provider/"))
  .flatMap((source) => relativeImports(source).map((to) => ({ from: source.file, to })))
  .filter(({ from, to }) => to.startsWith("provider/") && partOf(from) !== partOf(to))
  .map(({ from, to }) => {
    const part = partOf(from);
    const layers = LAYERS.slice(0, Math.max(0, LAYERS.indexOf(part)));
    const allowed = BESIDE[part] ?? [...layers, ...(ALSO[part] ?? [])];
    const path = to.replace("provider/", "");
    return { from, to, permission: allowed.find((place) => path === place || path.startsWith(`${place}/`)) };
  });

test("imports point one way: model <- wire <- client <- messages <- apply <- settings <- reconcile <- engine <- deployment <- resources <- provider; model <- emulator", () => {
  const wrong = crossings.filter(({ permission }) => permission === undefined);
  expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
});

test("no permission to import is left over", () => {
  const isUsed = (part: string, permission: string) =>
    crossings.some((one) => partOf(one.from) === part && one.permission === permission);
  const unused = Object.entries(BESIDE).flatMap(([part, permissions]) =>
    permissions.filter((permission) => !isUsed(part, permission)).map((permission) => `${part}: ${permission}`),
  );
  expect(unused).toEqual([]);
});

test("imports never go in a circle, types included", () => {
  expect(circlesOf([...sources, ...page]).map((circle) => circle.join("\n  imports "))).toEqual([]);
});

/** Rooms whose folders are layers. A file that stands in the room itself is one of its own. */
const LAYERED = [
  "provider/emulator/",
  "provider/forwarder/",
  "provider/resources/",
  "provider/prefixes/",
  "provider/probe/",
  "provider/commands/",
  "policies/",
];

test.each(LAYERED)("the folders of %s import each other in one way only, types included", (room) => {
  const inside = sources.filter(({ file }) => file.startsWith(room));
  const folderOf = (file: string) => room + (file.slice(room.length).split("/")[0] ?? "");
  const imports = new Map<string, string[]>();
  for (const source of inside) {
    const from = folderOf(source.file);
    const others = relativeImports(source).filter((to) => to.startsWith(room) && folderOf(to) !== from);
    imports.set(from, [...(imports.get(from) ?? []), ...others.map(folderOf)]);
  }
  expect(imports.size).toBeGreaterThan(5);
  expect([...imports.keys()].flatMap((folder) => circleThrough(folder, imports)?.join(" imports ") ?? [])).toEqual([]);
});

test("policies know of the package what its users know, the values of the model, its reader of settings, and the way to write a file", () => {
  const wrong = sources
    .filter(({ file }) => file.startsWith("policies/"))
    .flatMap((source) => relativeImports(source).filter((imported) => imported.startsWith("provider/")));
  const known = ["model", "index.ts"];
  const files = [
    "provider/files/no-links.ts",
    // Inputs are what the program wrote: rules judge what the provider reads in them.
    "provider/reconcile/written-inputs.ts",
    "provider/settings/config-keys.ts",
    // The judge reads settings with the reader of the provider: another one would judge another text.
    "provider/settings/settings.ts",
  ];
  expect(wrong.filter((file) => !known.includes(partOf(file)) && !files.includes(file))).toEqual([]);
});

/** `block` judges by the rules that a preview judges by: a second copy of them would be another judgement. */
const ASKS_POLICIES = ["provider/commands/blocking/policies.ts"];

test("the provider knows of the policies in one command, and there without Pulumi's SDK", () => {
  const asking = sources.filter(({ file }) => file.startsWith("provider/"));
  const toPolicies = (source: Source) => relativeImports(source).filter((imported) => imported.startsWith("policies/"));
  expect(asking.filter((source) => toPolicies(source).length > 0).map(({ file }) => file)).toEqual(ASKS_POLICIES);
  const reached = new Set<string>();
  const visit = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    const source = sources.find((one) => one.file === file);
    if (source) for (const imported of relativeImports(source)) if (imported.startsWith("policies/")) visit(imported);
  };
  for (const file of ASKS_POLICIES) visit(file);
  const loaded = sources
    .filter(({ file }) => reached.has(file))
    .flatMap(({ imports }) => imports.map(({ name }) => name));
  expect(loaded.filter((name) => name.startsWith("@pulumi/"))).toEqual([]);
});

test("every part of the source has its rule, and every rule its part", () => {
  const parts = new Set(sources.filter(({ file }) => file.startsWith("provider/")).map(({ file }) => partOf(file)));
  expect([...parts].sort()).toEqual([...LAYERS, ...Object.keys(BESIDE)].sort());
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
  expect(reached.size).toBeGreaterThan(5);
  expect([...reached].filter((file) => HANDLERS.some((place) => isIn(file, place)))).toEqual([]);
  expect(HANDLERS.filter((place) => !sources.some(({ file }) => isIn(file, place)))).toEqual([]);
});

describe("packages", () => {
  test.each(Object.entries(ONLY_IMPORTERS))("%s is imported in its one place only", (name, places) => {
    const importers = sources
      .filter(({ imports }) => imports.some((one) => one.name === name || one.name.startsWith(`${name}/`)))
      .map(({ file }) => file);
    expect(importers.filter((file) => !places.some((place) => isIn(file, place)))).toEqual([]);
    expect(places.filter((place) => !importers.some((file) => isIn(file, place)))).toEqual([]);
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

/** Rooms that report events. An error that they throw is a sentence for a person and a class for a program: those stay where they are thrown. */
const REPORTING = ["apply", "reconcile", "deployment", "resources"];

test("only messages/ makes sentences: other rooms report events, in whose members there is no prose", () => {
  const prose: string[] = [];
  let reports = 0;
  for (const { file, syntax } of sources.filter((source) => REPORTING.includes(partOf(source.file))))
    walk(syntax, (node) => {
      if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return;
      const { text } = node.expression.name;
      const found = `${file}: ${node.getText(syntax).slice(0, 80)}`;
      if (["info", "warn", "say"].includes(text)) prose.push(found);
      if (text !== "report") return;
      reports += 1;
      for (const argument of node.arguments)
        walk(argument, (part) => {
          if (ts.isTemplateExpression(part) || (ts.isStringLiteral(part) && part.text.includes(" "))) prose.push(found);
        });
    });
  expect(reports).toBeGreaterThan(40);
  expect(prose).toEqual([]);
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
  const open = sources.filter(({ file }) => OPEN_TO_THE_WORLD.includes(file));
  const wrong = sources
    .filter((source) => !open.includes(source))
    .flatMap((source) => touches(source).map((used) => `${source.file}: ${used}`));
  expect(wrong).toEqual([]);
  const used = open.filter((source) => touches(source).length > 0).map(({ file }) => file);
  expect(OPEN_TO_THE_WORLD.filter((file) => !used.includes(file))).toEqual([]);
});

test("nothing imports the emulator's page, and the page imports its libraries only", () => {
  // What it is answered, as types: nothing of that is in the bundle.
  const isAnswer = ({ name, typeOnly }: Source["imports"][number]) => typeOnly && name === "../answers";
  const imported = page.flatMap(({ imports }) => imports.filter((one) => !isAnswer(one)).map(({ name }) => name));
  expect(page.length).toBeGreaterThan(10);
  expect([...new Set(imported)].filter((name) => !/^\.\/[a-z-]+$|^preact(\/hooks)?$|^uplot$/.test(name))).toEqual([]);
  const importers = sources.filter((source) => relativeImports(source).some((file) => file.startsWith(PAGE)));
  expect(importers.map(({ file }) => file)).toEqual([]);
});

test("each rule of docs/contributing/style.md#homes is exported by its one home", () => {
  const [, table = ""] = readFileSync(join(root, "docs/contributing/style.md"), "utf8").split("## Homes");
  const rows = [...table.matchAll(/^\|[^|]+\| `(\w+)` \| `(\S+)` \|$/gm)].map(([, name, home]) => ({ name, home }));
  expect(rows.length).toBeGreaterThan(15);
  const homesOf = (name: string | undefined) =>
    sources
      .filter(({ file, syntax }) => file.startsWith("provider/") && exportedBy(syntax).includes(name ?? ""))
      .map(({ file }) => file);
  expect(rows.map(({ name, home }) => ({ name, homes: homesOf(name), home }))).toEqual(
    rows.map(({ name, home }) => ({ name, homes: [home], home })),
  );
});

/** Names of functions, classes and constants that a file declares and exports. */
function exportedBy({ statements }: ts.SourceFile): string[] {
  return statements.flatMap((statement) => {
    if (!ts.canHaveModifiers(statement)) return [];
    if (!ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
    if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) return statement.name?.text ?? [];
    if (!ts.isVariableStatement(statement)) return [];
    return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? name.text : []));
  });
}
