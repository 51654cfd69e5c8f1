import { readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import ts from "typescript";

/** The package's folder. */
export const root = resolve(__dirname, "../..");

/** The sources of all entry points, by what follows the package's name: `./client`. */
export const entryPoints: Readonly<Record<string, string>> = entriesOf(root);

function entriesOf(folder: string): Record<string, string> {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const named = Object.entries(manifest.exports as Record<string, { default?: string }>).flatMap(([subpath, entry]) =>
    entry.default ? [[subpath, join(folder, entry.default.replace("./dist/", "").replace(/\.js$/, ".ts"))]] : [],
  );
  return Object.fromEntries(named);
}

/** Something that users of the package can name, with what its doc comment says. */
export interface PublicName {
  /** `./client NodeClient.list`, as a person would look for it. */
  readonly name: string;
  readonly kind: "function" | "class" | "type" | "other" | "member";
  readonly file: string;
  /** The doc comment without its tags, empty when there is none. */
  readonly comment: string;
  readonly tags: readonly string[];
  /** Names in `{@link …}` that mean nothing where they stand, or nothing public. */
  readonly deadLinks: readonly string[];
  /** Of a member of options that may be left out and takes a number. */
  readonly optionalNumber: boolean;
  /** It has a `throw` of its own in its body. */
  readonly throws: boolean;
}

/** All exports of all entry points, and the members that are written in them. */
export function surfaceOf(root: string, entries: Readonly<Record<string, string>>): PublicName[] {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const program = ts.createProgram(
    Object.values(entries),
    { ...options, noLib: true, types: [] },
    ownFilesOnly(options),
  );
  const surface = new Surface(root, program.getTypeChecker());
  const exported = Object.entries(entries).flatMap(([entry, file]) => {
    const source = program.getSourceFile(file);
    const module = source && surface.checker.getSymbolAtLocation(source);
    if (!module) throw new Error(`${file} is no module`);
    return surface.checker.getExportsOfModule(module).map((symbol) => ({ entry, symbol }));
  });
  // All of them before the first: comments link to each other.
  for (const { symbol } of exported) surface.publish(symbol);
  for (const { entry, symbol } of exported) surface.add(entry, symbol);
  return surface.found;
}

/** Packages and the language's own library stay unread: what is asked here is in our files, and they take longest. */
function ownFilesOnly(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  host.resolveModuleNameLiterals = (names, from) =>
    names.map(({ text }) =>
      text.startsWith(".") ? ts.resolveModuleName(text, from, options, host) : { resolvedModule: undefined },
    );
  return host;
}

class Surface {
  readonly found: PublicName[] = [];
  private readonly published = new Set<ts.Node>();
  private readonly seen = new Set<ts.Declaration>();

  constructor(
    private readonly root: string,
    readonly checker: ts.TypeChecker,
  ) {}

  publish(exported: ts.Symbol): void {
    for (const declaration of this.meant(exported).declarations ?? []) {
      for (const one of [declaration, ...this.basesOf(declaration)]) this.published.add(one);
    }
  }

  /** The classes of our own from which a class has members that it does not write itself. */
  private basesOf(declaration: ts.Declaration): ts.ClassDeclaration[] {
    if (!ts.isClassDeclaration(declaration)) return [];
    const parents = (declaration.heritageClauses ?? []).flatMap(({ types }) => types);
    return parents.flatMap(({ expression }) => {
      const symbol = this.checker.getSymbolAtLocation(expression);
      const own = ((symbol && this.meant(symbol).declarations) ?? []).filter(ts.isClassDeclaration);
      return own.flatMap((one) => [one, ...this.basesOf(one)]);
    });
  }

  /** Names of the members of `FooArgs`, beside which a class `Foo` stands in one file, and of what that extends. */
  private argumentsOf({ name, parent }: ts.ClassDeclaration): string[] {
    const isArgs = (one: ts.Node): one is ts.InterfaceDeclaration =>
      ts.isInterfaceDeclaration(one) && one.name.text === `${name?.text}Args`;
    const namesOf = ({ members, heritageClauses }: ts.InterfaceDeclaration): string[] => {
      // `Omit<OtherArgs, "node">`
      const others = (heritageClauses ?? []).flatMap(({ types }) => types.flatMap((one) => one.typeArguments ?? []));
      const symbols = others.flatMap((one) => this.checker.getTypeFromTypeNode(one).symbol ?? []);
      const inherited = symbols.flatMap(({ declarations = [] }) => declarations.filter(ts.isInterfaceDeclaration));
      return [...members.map((member) => member.name?.getText() ?? ""), ...inherited.flatMap(namesOf)];
    };
    return ts.isSourceFile(parent) ? parent.statements.filter(isArgs).flatMap(namesOf) : [];
  }

  private meant(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
  }

  add(entry: string, exported: ts.Symbol): void {
    const symbol = this.meant(exported);
    const declarations = (symbol.declarations ?? []).filter((one) => !this.seen.has(one));
    const [first] = declarations;
    // What another entry point exports as well was seen there.
    if (!first || first.getSourceFile().fileName.includes("node_modules")) return;
    for (const one of declarations) this.seen.add(one);
    const name = `${entry} ${exported.name}`;
    this.note(name, kindOf(first), symbol, first);
    // Outputs of a resource are its arguments as given, and documented there.
    const given = declarations.flatMap((one) => (ts.isClassDeclaration(one) ? this.argumentsOf(one) : []));
    for (const declaration of declarations.flatMap((one) => [one, ...this.basesOf(one)])) {
      for (const member of membersOf(declaration)) this.member(name, member, given);
    }
  }

  private member(owner: string, declaration: ts.ClassElement | ts.TypeElement, given: readonly string[]): void {
    const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected | ts.ModifierFlags.Override;
    if (ts.getCombinedModifierFlags(declaration) & hidden || !declaration.name || !ts.isIdentifier(declaration.name))
      return;
    const symbol = this.checker.getSymbolAtLocation(declaration.name);
    if (!symbol || given.includes(symbol.name) || symbol.declarations?.[0] !== declaration) return;
    this.note(`${owner}.${symbol.name}`, "member", symbol, declaration);
  }

  private note(name: string, kind: PublicName["kind"], symbol: ts.Symbol, declaration: ts.Declaration): void {
    const tags = symbol.getJsDocTags(this.checker).map((tag) => tag.name);
    if (tags.includes("internal")) return;
    const comments = ts.getJSDocCommentsAndTags(commented(declaration));
    this.found.push({
      name,
      kind,
      file: relative(this.root, declaration.getSourceFile().fileName),
      comment: ts.displayPartsToString(symbol.getDocumentationComment(this.checker)),
      tags,
      deadLinks: comments.flatMap((comment) => this.deadLinksOf(comment)),
      optionalNumber: takesNumber(declaration),
      throws: hasThrow(declaration),
    });
  }

  private deadLinksOf(comment: ts.Node): string[] {
    const dead: string[] = [];
    const visit = (node: ts.Node): void => {
      if ((ts.isJSDocLink(node) || ts.isJSDocLinkCode(node)) && node.name) {
        const symbol = this.checker.getSymbolAtLocation(node.name);
        const targets = (symbol && this.meant(symbol).declarations) ?? [];
        // To a public name or to a member of one: there is no page about anything else.
        const isPublic = targets.some((one) => this.published.has(one) || this.published.has(one.parent));
        if (!isPublic) dead.push(node.name.getText());
      }
      ts.forEachChild(node, visit);
    };
    for (const child of comment.getChildren()) visit(child);
    return dead;
  }
}

function kindOf(declaration: ts.Declaration): PublicName["kind"] {
  if (ts.isFunctionDeclaration(declaration)) return "function";
  if (ts.isInterfaceDeclaration(declaration) || ts.isTypeAliasDeclaration(declaration)) return "type";
  return ts.isClassDeclaration(declaration) ? "class" : "other";
}

/** By its text, since types of packages are not read. */
function takesNumber(declaration: ts.Declaration): boolean {
  const owner = ts.isInterfaceDeclaration(declaration.parent) ? declaration.parent.name.text : "";
  if (!/(Options|Args|Columns|Range)$/.test(owner)) return false;
  if (!ts.isPropertySignature(declaration) || !declaration.questionToken || !declaration.type) return false;
  return /\bnumber\b/.test(declaration.type.getText());
}

/** A variable's comment stands before its statement. */
function commented(declaration: ts.Declaration): ts.Node {
  return ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
}

function membersOf(declaration: ts.Declaration): readonly (ts.ClassElement | ts.TypeElement)[] {
  if (ts.isInterfaceDeclaration(declaration) || ts.isClassDeclaration(declaration)) return [...declaration.members];
  if (ts.isTypeAliasDeclaration(declaration) && ts.isTypeLiteralNode(declaration.type))
    return [...declaration.type.members];
  return [];
}

/** A `throw` in the body itself; what is thrown in callbacks and called functions is theirs to tell. */
function hasThrow(declaration: ts.Declaration): boolean {
  const body =
    ts.isFunctionDeclaration(declaration) || ts.isMethodDeclaration(declaration) ? declaration.body : undefined;
  const visit = (node: ts.Node): boolean =>
    ts.isThrowStatement(node) || (!ts.isFunctionLike(node) && ts.forEachChild(node, visit) === true);
  return body !== undefined && visit(body);
}
