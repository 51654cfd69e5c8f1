import { join } from "node:path";
import ts from "typescript";

/** An `@example` of a public name, and the module by which it is compiled. */
export interface Example {
  /** `./client NodeClient.insert`. */
  readonly name: string;
  readonly file: string;
  readonly text: string;
  /** Names of {@link AT_HAND} that it uses. */
  readonly given: readonly string[];
}

const PACKAGE = "pulumi-packetfilter";
const CLIENT = `import("${PACKAGE}/client")`;
const POLICIES = `import("${PACKAGE}/policies")`;

/**
 * Names that an example may use without declaring them, by entry point, with their types: those of readers who have come as far
 * as to look the name up. All else is written in the example.
 */
const AT_HAND: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ".": {
    pulumi: 'typeof import("@pulumi/pulumi")',
    config: 'import("@pulumi/pulumi").Config',
    other: 'import("@pulumi/pulumi").StackReference',
    blocked: `import("${PACKAGE}").PrefixSet`,
    Prefix: `typeof ${CLIENT}.Prefix`,
    client: `${CLIENT}.NodeClient`,
    set: `${CLIENT}.PrefixSetUrl`,
    error: "unknown",
    text: "string",
  },
  "./client": {
    client: `${CLIENT}.NodeClient & Pick<${CLIENT}.SignalingClient, "ensureActive">`,
    set: `${CLIENT}.PrefixSetUrl`,
    error: "unknown",
    text: "string",
    secretKey: "string",
    prefixes: "string[]",
  },
  "./emulator": {
    emulator: `import("${PACKAGE}/emulator").Emulator`,
    program: `import("${PACKAGE}/emulator").RunningProgram`,
  },
  "./prefixes": { PrefixSet: `typeof import("${PACKAGE}").PrefixSet` },
  "./forwarder": { config: `import("${PACKAGE}/forwarder").ForwarderConfig` },
  "./policies": {
    z: 'typeof import("zod").z',
    PolicyPack: 'typeof import("@pulumi/policy").PolicyPack',
    ourOwnPolicy: 'import("@pulumi/policy").ResourceValidationPolicy',
    config: `${POLICIES}.PolicyConfig`,
    rule: `${POLICIES}.ResourceRule & ${POLICIES}.StackRule`,
    resource: `${POLICIES}.SetResource | ${POLICIES}.SignalingResource`,
    sets: `${POLICIES}.SetResource[]`,
    entries: `readonly ${POLICIES}.Entry[]`,
    meta: `${POLICIES}.ResourceMeta`,
    properties: "Record<string, unknown>",
    urn: "string",
  },
};

/** The TypeScript of every `@example`, as a module with the public names and what is at hand. */
export function examplesOf(root: string, entries: Readonly<Record<string, string>>): Example[] {
  const program = ts.createProgram(Object.values(entries), { ...optionsOf(root), noLib: true, types: [] });
  const checker = program.getTypeChecker();
  return Object.entries(entries).flatMap(([entry, file], at) => {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    if (!module) throw new Error(`${file} is no module`);
    const exported = checker.getExportsOfModule(module);
    const names = exported.map(({ name }) => name);
    return exported.flatMap((symbol, nth) => {
      const meant = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      const owners = [meant, ...(meant.members?.values() ?? [])];
      const tags = owners.flatMap((one) => one.getJsDocTags(checker).filter(({ name }) => name === "example"));
      return tags.flatMap(({ text }, tag) => {
        const code = /```ts\n([\s\S]*?)```/.exec(ts.displayPartsToString(text))?.[1];
        if (code === undefined) return [];
        const place = join(root, `example-${at}-${nth}-${tag}.ts`);
        return [{ name: `${entry} ${symbol.name}`, file: place, ...moduleOf(code, entry, names) }];
      });
    });
  });
}

/** An example with the public names that it uses, and with what is at hand: what it declares itself is its own. */
function moduleOf(code: string, entry: string, names: readonly string[]): Pick<Example, "text" | "given"> {
  const declared = [...code.matchAll(/\b(?:const|let|class|function|import|using) (\w+|[[{][^=]*?[\]}])/g)];
  const own = new Set(declared.flatMap(([, text = ""]) => text.match(/\w+/g) ?? []));
  const uses = (name: string) => !own.has(name) && new RegExp(`(?<![\\w"]|(?<!\\.\\.)\\.)${name}\\b(?!: )`).test(code);
  const used = names.filter(uses);
  const given = Object.entries(AT_HAND[entry] ?? {}).filter(([name]) => !used.includes(name) && uses(name));
  const text = [
    `import { ${used.join(", ")} } from "${PACKAGE}${entry.slice(1)}";`,
    ...given.map(([name, type]) => `declare const ${name}: ${type};`),
    "export {};",
    code,
  ].join("\n");
  return { text, given: given.map(([name]) => name) };
}

/** Errors of the compiler for each module, one on each line. */
export function problemsOf(root: string, entries: Readonly<Record<string, string>>, modules: readonly Example[]) {
  const options = { ...optionsOf(root), noUnusedLocals: false, noUnusedParameters: false, paths: pathsOf(entries) };
  const host = ts.createCompilerHost(options);
  const texts = new Map(modules.map(({ file, text }) => [file, text]));
  const { fileExists, readFile } = host;
  host.fileExists = (file) => texts.has(file) || fileExists(file);
  host.readFile = (file) => texts.get(file) ?? readFile(file);
  const program = ts.createProgram([...texts.keys()], options, host);
  return modules.flatMap(({ name, file }) => {
    const source = program.getSourceFile(file);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map(({ messageText }) => `${name}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`);
  });
}

/** A program of a user finds the package by its name. */
function pathsOf(entries: Readonly<Record<string, string>>): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(entries).map(([entry, file]) => [`pulumi-packetfilter${entry.slice(1)}`, [file]]),
  );
}

function optionsOf(root: string): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  // Examples use `await` outside functions, as programs that are modules may.
  return {
    ...options,
    noEmit: true,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    verbatimModuleSyntax: false,
  };
}
