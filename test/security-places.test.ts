import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import { WRITERS as CASES } from "./files/writers";

const root = resolve(__dirname, "..");

/** Functions that change a file, or could. */
const WRITES =
  /^(appendFile|chmod|chown|copyFile|cp|createWriteStream|fchmod|ftruncate|lchown|link|lutimes|mkdir|mkdtemp|mkdtempDisposable|open|rename|rm|rmdir|symlink|truncate|unlink|utimes|writeFile|DatabaseSync)(Sync)?$/;

/** Ways to other machines and processes. */
const SOCKETS = /^(node:)?(net|http|https|http2|tls|dgram|undici)$/;

/** A case of `test/files/links.test.ts`, which goes through links that a commit brought. */
type Case = keyof typeof CASES;

/**
 * Every place where files are changed by its own means, with what it does there, why no link leads it elsewhere, and the case
 * that shows it: none where a name is removed or moved, or made in a folder that is the process's own.
 */
const WRITERS: Record<string, [names: string, why: string, shown?: Case]> = {
  "provider/files/no-links.ts": [
    "open openSync appendFileSync",
    "opens with O_NOFOLLOW; the rule itself",
    "the audit log",
  ],
  "provider/files/whole-file.ts": [
    "open rename rm",
    "a draft of its own name, made new; the file itself is looked at",
    "what probe found, a pid file",
  ],
  "provider/files/held.ts": ["rmSync", "removes names that this process made"],
  "provider/import/write-new.ts": [
    "link rm",
    "makes new names alone, after a look at the links on the way",
    "an import",
  ],
  "provider/prefixes/edit/lock.ts": [
    "link open rename rm writeFileSync",
    "makes its name new, reads with O_NOFOLLOW, and moves aside what was left",
    "block",
  ],
  "provider/prefixes/source.ts": ["openSync", "reads"],
  "provider/emulator/state/file-lock.ts": [
    "chmod mkdir rm rmdir",
    "a socket beside the state, or in a folder of its own",
    "a state that is kept",
  ],
  "provider/emulator/state/persistence.ts": [
    "open",
    "opens the folder to make its names durable",
    "a state that is kept",
  ],
  "provider/emulator/testing/run-program.ts": ["mkdir mkdtemp rm", "a temporary folder of its own, and what is in it"],
  "provider/commands/emulator-background.ts": ["rm", "removes a name", "what probe found, a pid file"],
  "provider/commands/probe.ts": ["rm", "removes a name", "what probe found, a pid file"],
  "provider/commands/probing/undo-file.ts": ["rmSync", "removes its own name", "notes of a probe"],
  "provider/files/make-folders.ts": ["mkdir mkdirSync", "makes folders alone; what is then written in one proves it"],
  "provider/deployment/process-files.ts": ["appendFileSync", "a folder that is proved to be this user's own"],
  "provider/deployment/other-processes.ts": [
    "openSync renameSync rmSync",
    "a folder that is proved to be this user's own",
  ],
  "provider/deployment/sent-files.ts": [
    "rmSync utimesSync writeFileSync",
    "the same folder, under names of the processes",
  ],
  "provider/commands/plugin.ts": [
    "chmod mkdtemp rename rm writeFile",
    "the CLI's own cache, in a new folder that is renamed into its place",
  ],
  "provider/forwarder/delivery/rejected.ts": [
    "link rename rm",
    "renames and hard links of its own names",
    "records that a sink refused",
  ],
  "provider/forwarder/requeue.ts": ["rename rm", "its own names in the state folder"],
  "provider/commands/emulating/journal-file.ts": ["rename", "rotates its own names", "the emulator's journal"],
  "provider/forwarder/sinks/file.ts": ["rename rm", "rotates its own names", "a file of the forwarder"],
  "provider/forwarder/ledger/store.ts": [
    "renameSync utimesSync",
    "SQLite opens what makePrivate has opened before; the time of its own lock",
    "the forwarder's state",
  ],
  "examples/ci-stack/ci/comment.mjs": ["mkdtemp rm writeFile", "a temporary folder of its own"],
  "examples/ci-stack/ci/files.mjs": ["chmod cp mkdir writeFile", "a new folder, into which no link of a change gets"],
};

/** Modules that write by `provider/files/`, with the cases that show it. */
const BY_FILES: Record<string, readonly Case[]> = {
  "policies/findings-file.ts": ["the findings of policies"],
  "provider/commands/emulator-background.ts": ["what probe found, a pid file"],
  "provider/commands/emulating/journal-file.ts": ["the emulator's journal"],
  "provider/commands/probe.ts": ["what probe found, a pid file"],
  "provider/commands/probing/undo-file.ts": ["notes of a probe"],
  "provider/emulator/recording/recording.ts": ["a recording"],
  "provider/emulator/state/persistence.ts": ["a state that is kept"],
  "provider/forwarder/delivery/rejected.ts": ["records that a sink refused"],
  "provider/forwarder/ledger/store.ts": ["the forwarder's state"],
  "provider/forwarder/sinks/file.ts": ["a file of the forwarder"],
  "provider/import/write-new.ts": ["an import"],
  "provider/prefixes/edit/edit-file.ts": ["block", "unblock"],
  "provider/apply/audit-log.ts": ["the audit log"],
};

/** Functions of `provider/files/` that write. */
const WRITING = /^(openOwn|openOwnSync|appendOwnSync|replaceFile|writeDraft|makePrivate)$/;

/** Every place where sockets are opened: what listens, and what connects. */
const OPENERS: Record<string, [listens: boolean, why: string]> = {
  "provider/client/http.ts": [false, "to the address of a connection; credentials go nowhere else"],
  "provider/forwarder/sinks/syslog.ts": [false, "to the address of a sink"],
  "provider/forwarder/operating/http-server.ts": [true, "metrics and health; Host is checked, a token off loopback"],
  "provider/emulator/http/http-server.ts": [
    true,
    "protocol port and control port, on loopback unless --host says else",
  ],
  "provider/emulator/state/file-lock.ts": [true, "a local socket by which a state is this process's"],
  "provider/emulator/page/repeat.ts": [false, "to the emulator's own ports: a request that the page sends again"],
  "provider/emulator/recording/upstream.ts": [false, "to --proxy and --proxy-signaling"],
};

const sources = ["provider", "policies", "examples"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /(\.tsx?|\.m?js|^run)$/.test(name) && !/node_modules|page\/client\/|\.test\.ts$/.test(name))
    .map((name) => `${folder}/${name}`)
    .map((file) => ({ file, syntax: ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), 99, true) })),
);

/** Modules by which a file can be written, a socket opened, a program started, code made, or memory put on a disk. */
const POWERFUL =
  /^(node:)?(fs|fs\/promises|net|http|https|http2|tls|dgram|child_process|cluster|inspector|inspector\/promises|module|process|repl|sqlite|v8|vm|wasi|worker_threads|undici)$/;

/** Who may load a module in such a way, with what it loads. */
const LOADERS: Record<string, [way: string, what: string]> = {
  "provider/client/own-reader.ts": ["createRequire", "the module of answers.read"],
  "policies/start-pack.ts": ["createRequire", "ts-node, for packs that are written in TypeScript"],
};

/** Imports of a file by value from modules whose name passes, as `module name`; `*` for all of it. */
function imported(syntax: ts.SourceFile, passes: (module: string) => boolean): { module: string; name: string }[] {
  const found: { module: string; name: string }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier) && passes(node.moduleSpecifier.text)) {
      const module = node.moduleSpecifier.text;
      const bindings = node.importClause?.namedBindings;
      if (!node.importClause?.isTypeOnly) {
        if (node.importClause?.name || (bindings && ts.isNamespaceImport(bindings))) found.push({ module, name: "*" });
        for (const one of bindings && ts.isNamedImports(bindings) ? bindings.elements : [])
          if (!one.isTypeOnly) found.push({ module, name: (one.propertyName ?? one.name).text });
      }
    }
    const called = ts.isCallExpression(node) ? node.expression : undefined;
    const [argument] = ts.isCallExpression(node) ? node.arguments : [];
    const loads = called?.kind === ts.SyntaxKind.ImportKeyword || called?.getText(syntax) === "require";
    if (loads && argument && ts.isStringLiteral(argument) && passes(argument.text))
      found.push({ module: argument.text, name: "*" });
    ts.forEachChild(node, visit);
  };
  visit(syntax);
  return found;
}

/** Expressions of a file that could load a powerful module unseen by the other tests here. */
function loopholes(syntax: ts.SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const { parent } = node;
    if (ts.isStringLiteralLike(node) && POWERFUL.test(node.text)) {
      const names = ts.isImportDeclaration(parent) ? parent.importClause?.namedBindings : undefined;
      const taken = names && ts.isNamedImports(names) ? names.elements : undefined;
      const isNamed = taken?.every((one) => !/^(promises|default)$/.test((one.propertyName ?? one.name).text)) === true;
      const isLazy = ts.isCallExpression(parent) && parent.expression.kind === ts.SyntaxKind.ImportKeyword;
      const isModule =
        ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent) || node.text.startsWith("node:");
      const isCurried = ts.isCallExpression(parent) && ts.isCallExpression(parent.expression);
      const isRequired = ts.isCallExpression(parent) && parent.expression.getText(syntax) === "require";
      const isType = ts.isLiteralTypeNode(parent);
      if ((isModule || isCurried || isRequired) && !isNamed && !isLazy && !isType) found.push(node.text);
    }
    if (ts.isCallExpression(node)) {
      const [argument] = node.arguments;
      const isImport = node.expression.kind === ts.SyntaxKind.ImportKeyword;
      const loads = isImport || node.expression.getText(syntax) === "require";
      if (loads && argument && !ts.isStringLiteralLike(argument)) found.push("a module by a name that is computed");
    }
    if (ts.isIdentifier(node) && !ts.isImportSpecifier(parent)) {
      const isCalled = (ts.isCallExpression(parent) || ts.isNewExpression(parent)) && parent.expression === node;
      if (/^(createRequire|getBuiltinModule|mainModule)$/.test(node.text)) found.push(node.text);
      if (/^(eval|Function)$/.test(node.text) && isCalled) found.push(node.text);
      if (node.text === "require" && !isCalled && !isOfConfig(parent)) found.push("require under another name");
      const isOfProcess = ts.isPropertyAccessExpression(parent) && parent.expression.getText(syntax) === "process";
      if (/^(binding|dlopen|report)$/.test(node.text) && isOfProcess) found.push(`process.${node.text}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(syntax);
  return [...new Set(found)];
}

/** `config.require("key")` of a Pulumi program. */
function isOfConfig(access: ts.Node): boolean {
  const [key] = ts.isCallExpression(access.parent) ? access.parent.arguments : [];
  const isKey = key !== undefined && ts.isStringLiteral(key) && !POWERFUL.test(key.text);
  return (
    isKey &&
    ts.isPropertyAccessExpression(access) &&
    /^(config|new (pulumi\.)?Config\(.*\))$/.test(access.expression.getText())
  );
}

it("no module that can write, connect, run or dump comes in by another way than an import that names what is used", () => {
  const found = sources.flatMap(({ file, syntax }) => {
    const ways = loopholes(syntax);
    return ways.length > 0 ? [[file, ways.join(", ")]] : [];
  });
  const known = Object.entries(LOADERS).map(([file, [way]]) => [file, way]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(known));
});

it.each([
  'import fs from "node:fs";',
  'import * as fs from "fs";',
  'import { promises as files } from "node:fs";',
  'import fs = require("node:fs");',
  'export { writeFileSync } from "node:fs";',
  'export * from "node:fs/promises";',
  'const { writeFileSync } = require("fs");',
  "const load = require; load(name);",
  'const fs = process.getBuiltinModule("node:fs");',
  'const fs = createRequire(__filename)("fs");',
  "const fs = await import(name);",
  'const fs = require("node:" + name);',
  'process.report.writeReport("dump.json");',
  'process.binding("fs");',
  'new Function("return process")();',
])("a new place cannot be hidden so: %s", (text) => {
  expect(loopholes(ts.createSourceFile("new.ts", text, 99, true))).not.toEqual([]);
});

it.each(["writeHeapSnapshot", "setHeapSnapshotNearHeapLimit", "setFlagsFromString", "generateHeapSnapshot"])(
  "nothing puts memory on a disk: %s",
  (name) => expect(sources.filter(({ syntax }) => syntax.text.includes(name)).map(({ file }) => file)).toEqual([]),
);

it("files are written by the piece that follows no link, and where they are not, the place is known", () => {
  const found = sources.flatMap(({ file, syntax }) => {
    const names = imported(syntax, (module) => /^(node:)?fs(\/promises)?$/.test(module)).map(({ name }) => name);
    const writes = [...new Set(names.filter((name) => name === "*" || WRITES.test(name)))].sort();
    return writes.length === 0 ? [] : [[file, writes.join(" ")]];
  });
  const known = Object.entries(WRITERS).map(([file, [names]]) => [file, names.split(" ").sort().join(" ")]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(known));
});

it("each place that writes has a case that leads it through a link, and each case is of such a place", () => {
  const found = sources.flatMap(({ file, syntax }) =>
    imported(syntax, (module) => /\/(no-links|whole-file|private)$/.test(module)).some(({ name }) => WRITING.test(name))
      ? [file]
      : [],
  );
  const others = found.filter((file) => !file.startsWith("provider/files/"));
  expect(others.sort()).toEqual(Object.keys(BY_FILES).sort());
  const shown = [...Object.values(WRITERS).map(([, , one]) => one ?? []), ...Object.values(BY_FILES)].flat();
  expect([...new Set(shown)].sort()).toEqual(Object.keys(CASES).sort());
});

it("sockets are opened in known places, and SQLite's files in two", () => {
  const opens = (name: string) => !/^(BlockList|isIP|isIPv4|isIPv6|STATUS_CODES|TLSSocket)$/.test(name);
  const found = sources.filter(({ syntax }) =>
    imported(syntax, (module) => SOCKETS.test(module)).some(({ name }) => opens(name)),
  );
  expect(found.map(({ file }) => file).sort()).toEqual(Object.keys(OPENERS).sort());
  const listens = found.filter(({ syntax }) => /\bcreate(Tls)?Server\b/.test(syntax.text));
  const known = Object.entries(OPENERS).filter(([, [listening]]) => listening);
  expect(listens.map(({ file }) => file).sort()).toEqual(known.map(([file]) => file).sort());
  const databases = sources.filter(({ syntax }) => /new DatabaseSync\(/.test(syntax.text));
  expect(databases.map(({ file }) => file)).toEqual([
    "provider/forwarder/ledger/left-spool.ts",
    "provider/forwarder/ledger/store.ts",
  ]);
});

it("nothing fetches, and no other program is started, but in known places", () => {
  const uses = (expression: RegExp) =>
    sources.filter(({ syntax }) => expression.test(syntax.text)).map(({ file }) => file);
  expect(uses(/^(?! *\*).*\b(fetch\(|new WebSocket\()/m).sort()).toEqual([
    // The platform that a review runs on, and the analysis system that a program names.
    "examples/ci-stack/ci/comment.mjs",
    "examples/repeat-offenders/offenders.ts",
    // Both ask the control API of an emulator.
    "provider/commands/emulator-background.ts",
    "provider/emulator/control/client.ts",
  ]);
  expect(uses(/\b(from|import\()\s*"(node:)?child_process"/).sort()).toEqual([
    "examples/ci-stack/ci/comment.mjs",
    // git, for the objects of a commit.
    "examples/ci-stack/ci/files.mjs",
    "provider/cli.ts",
    "provider/commands/emulator-background.ts",
    // What the program names as the check of a wave.
    "provider/resources/prefix-set-group/rollout/command-check.ts",
  ]);
});

it("the review of the template writes into its own folder alone, and takes what it leaves away as a new one", () => {
  const script = readFileSync(join(root, "examples/ci-stack/ci/review.sh"), "utf8").replace(/^\s*#.*$/gm, "");
  const written = [...script.matchAll(/>\s*("[^"]*"|[\w./]+)/g)].map(([, to]) => to);
  expect(written).toEqual(['"$work/review/preview.json"']);
  expect(script).not.toMatch(/^\s*(cp|tee|install)\b/m);
  expect(script.replace(/\s+/g, " ")).toContain('rm -rf review-results mv -T "$work/review" review-results');
});
