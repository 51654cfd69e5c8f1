import { join } from "node:path";
import ts from "typescript";

/** A member of a public type, as `./emulator Fault.cmd`, and what an editor shows of it. */
export interface Hover {
  readonly name: string;
  readonly text: string;
}

const PACKAGES = "/node_modules/";

/** Every export of every entry point with the members of its type at any depth, and the text that the compiler has for each: what an editor shows. */
export function hoversOf(root: string, entries: Readonly<Record<string, string>>): Hover[] {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const program = ts.createProgram(Object.values(entries), options);
  const walk = new Walk(program.getTypeChecker());
  for (const [entry, file] of Object.entries(entries)) {
    const source = program.getSourceFile(file);
    const module = source && walk.checker.getSymbolAtLocation(source);
    if (!module) throw new Error(`${file} is no module`);
    for (const symbol of walk.checker.getExportsOfModule(module)) walk.exported(`${entry} ${symbol.name}`, symbol);
  }
  return walk.found;
}

class Walk {
  readonly found: Hover[] = [];
  private readonly seen = new Set<ts.Type>();
  private readonly noted = new Set<ts.Declaration>();

  constructor(readonly checker: ts.TypeChecker) {}

  exported(name: string, symbol: ts.Symbol): void {
    const meant = symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol;
    this.note(name, meant);
    if (meant.flags & ts.SymbolFlags.Type) this.type(name, this.checker.getDeclaredTypeOfSymbol(meant));
    if (meant.flags & ts.SymbolFlags.Value) this.type(name, this.checker.getTypeOfSymbol(meant));
  }

  private note(name: string, symbol: ts.Symbol): void {
    this.found.push({ name, text: ts.displayPartsToString(symbol.getDocumentationComment(this.checker)) });
  }

  /** Members that a person reaches from a value of the type by writing a dot, a bracket or a call. */
  private type(name: string, type: ts.Type): void {
    if (type.isUnion()) for (const one of type.types) this.type(name, one);
    if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) || this.seen.has(type)) return;
    this.seen.add(type);
    for (const argument of this.argumentsOf(type)) this.type(name, argument);
    for (const { type: inside } of this.checker.getIndexInfosOfType(type)) this.type(name, inside);
    const signatures = [...type.getCallSignatures(), ...type.getConstructSignatures()];
    for (const signature of signatures.filter(({ declaration }) => !declaration || !isElsewhere(declaration))) {
      this.type(name, signature.getReturnType());
      for (const parameter of signature.parameters) this.type(name, this.checker.getTypeOfSymbol(parameter));
    }
    if (this.checker.isArrayLikeType(type)) return;
    for (const member of this.checker.getPropertiesOfType(type)) this.member(name, member);
  }

  /** Of a promise, an output or a map; those of our own types are in their members. */
  private argumentsOf(type: ts.Type): readonly ts.Type[] {
    const isReference = ((type as ts.ObjectType).objectFlags & ts.ObjectFlags.Reference) !== 0;
    const isOurs = !type.symbol?.declarations?.some((one) => one.getSourceFile().fileName.includes(PACKAGES));
    return isReference && !isOurs ? this.checker.getTypeArguments(type as ts.TypeReference) : [];
  }

  private member(owner: string, member: ts.Symbol): void {
    // Symbols, and what only tells types apart.
    if (member.name.startsWith("__")) return;
    const [origin] = this.originOf(member).declarations ?? [];
    // What stands for each of some words, as the members of a record by them, has no place of its own that a comment could have.
    if (!origin || this.noted.has(origin) || isElsewhere(origin)) return;
    this.noted.add(origin);
    const name = `${owner}.${member.name}`;
    this.note(name, member);
    this.type(name, this.checker.getTypeOfSymbol(member));
  }

  /** A mapped type with `as` keeps what its members were, and loses their comments. */
  private originOf(member: ts.Symbol): ts.Symbol {
    const { syntheticOrigin } = (member as { links?: { syntheticOrigin?: ts.Symbol } }).links ?? {};
    return syntheticOrigin ? this.originOf(syntheticOrigin) : member;
  }
}

/** Not written by us, not for users, or said where it was first. */
function isElsewhere(declaration: ts.Declaration): boolean {
  if (declaration.getSourceFile().fileName.includes(PACKAGES)) return true;
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected | ts.ModifierFlags.Override;
  const name = ts.getNameOfDeclaration(declaration);
  if (ts.getCombinedModifierFlags(declaration) & hidden || (name && ts.isPrivateIdentifier(name))) return true;
  return ts.getJSDocTags(declaration).some(({ tagName }) => tagName.text === "internal");
}
