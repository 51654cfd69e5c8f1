import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** One argument, or one member of an object, as Python would write it. */
export interface Argument {
  readonly name: string;
  /** For example `Input[Literal['fail', 'adopt']]`. */
  readonly type: string;
  readonly required: boolean;
  /** The doc comment on one line, defaults included. */
  readonly text: string;
}

/** Types that have a name in both languages, or in one of them. */
const NAMES: Readonly<Record<string, string>> = {
  EntryArgs: "Entry",
  EntriesInput: "Entries",
  GroupNodeArgs: "GroupNode",
  GroupNodesInput: "GroupNodes",
  TlsOptions: "Tls",
  Answers: "Answers",
  ReceiverAnswers: "ReceiverAnswers",
  ListFormat: "ListFormat",
  Columns: "Columns",
  Verdict: "Verdict",
  Absent: "Absent",
  NodeInput: "Input[str | Node]",
  ReceiverInput: "Input[str | Receiver]",
};

/**
 * What an interface lists, by the path of its file from `provider/pulumi/`. Those of other folders hold plain values: in a program each of them may
 * come later, at any depth.
 */
export function membersOf(file: string, name: string): readonly Argument[] {
  const found = statementsOf(file)
    .filter(ts.isInterfaceDeclaration)
    .find((one) => one.name.text === name);
  if (!found) throw new Error(`${file} has no interface ${name}`);
  return found.members.filter(ts.isPropertySignature).map((member) => argument(member, file.startsWith("../")));
}

/** The arguments of a resource. A group has those of a set, but nodes instead of a node. */
export function argumentsOf(type: string, file: string): readonly Argument[] {
  const own = membersOf(file, `${type}Args`);
  if (type !== "PrefixSetGroup") return own;
  return [...argumentsOf("PrefixSet", "prefix-set.ts").filter(({ name }) => name !== "node"), ...own];
}

/** A type of such a file that is no interface, as Python would write it. */
export function typeNamed(name: string, file: string): string {
  const alias = statementsOf(file)
    .filter(ts.isTypeAliasDeclaration)
    .find((one) => one.name.text === name);
  if (!alias) throw new Error(`${file} has no type ${name}`);
  return python(alias.type);
}

/** What instances of the class of a file declare, by name, with its doc comment. A group declares what a set does, too. */
export function declaredBy(file: string): Record<string, string> {
  const own = statementsOf(file).filter(ts.isClassDeclaration);
  const parents = own.flatMap(({ heritageClauses = [] }) => heritageClauses.flatMap(({ types }) => types));
  const bases = statementsOf("prefix-set.ts")
    .filter(ts.isClassDeclaration)
    .filter(({ name }) => parents.some(({ expression }) => expression.getText() === name?.text));
  const members = [...bases, ...own].flatMap((one) => [...one.members]);
  const properties = members.filter(ts.isPropertyDeclaration).filter(({ modifiers }) => {
    const words = modifiers?.map(({ kind }) => kind) ?? [];
    return words.includes(ts.SyntaxKind.DeclareKeyword);
  });
  return Object.fromEntries(properties.map((one) => [one.name.getText(), textOf(one)]));
}

function statementsOf(file: string): readonly ts.Statement[] {
  const path = join(__dirname, "../../provider/pulumi", file);
  return [...ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true).statements];
}

function argument(member: ts.PropertySignature, isPlain: boolean): Argument {
  if (!member.type) throw new Error(`${member.name.getText()} has no type`);
  const type = python(member.type, isPlain ? later : asIs);
  return {
    name: member.name.getText(),
    type: isPlain ? later(type) : type,
    required: member.questionToken === undefined,
    text: textOf(member),
  };
}

const asIs = (type: string) => type;
const later = (type: string) => `Input[${type}]`;

/** Texts of both languages differ in how they write a truth value and a link, and nothing else. */
function textOf(node: ts.Node): string {
  const [comment] = ts.getJSDocCommentsAndTags(node);
  const text = comment && ts.isJSDoc(comment) ? ts.getTextOfJSDocComment(comment.comment) : undefined;
  return (text ?? "")
    .replace(/\s+/g, " ")
    .replace(/\{@link (?:\w+\.)?(\w+)\}/g, (_, name: string) => `\`${name}\``)
    .replace(/`(true|false)`/g, (_, word: string) => (word === "true" ? "`True`" : "`False`"));
}

/** @param inner what each part of an object or an array is made into: where values are plain, an `Input` */
function python(type: ts.TypeNode, inner: (type: string) => string = asIs): string {
  const of = (part: ts.TypeNode) => python(part, inner);
  switch (type.kind) {
    case ts.SyntaxKind.StringKeyword:
      return "str";
    case ts.SyntaxKind.NumberKeyword:
      return "int";
    case ts.SyntaxKind.BooleanKeyword:
      return "bool";
  }
  if (ts.isParenthesizedTypeNode(type) || ts.isTypeOperatorNode(type)) return of(type.type);
  if (ts.isArrayTypeNode(type)) return `Sequence[${inner(of(type.elementType))}]`;
  if (ts.isLiteralTypeNode(type)) return literals([type]);
  if (ts.isUnionTypeNode(type)) {
    const isNull = (part: ts.TypeNode) => ts.isLiteralTypeNode(part) && part.literal.kind === ts.SyntaxKind.NullKeyword;
    // None inside an argument is refused, so that no entry vanishes on the way.
    const parts = type.types.filter((part) => !isNull(part));
    const texts = parts.filter(ts.isLiteralTypeNode);
    return texts.length > 0 ? literals(texts) : [...new Set(parts.map(of))].join(" | ");
  }
  if (ts.isTypeLiteralNode(type)) return objectOf(type);
  if (ts.isIndexedAccessTypeNode(type)) return membersType(type);
  if (ts.isTypeReferenceNode(type)) {
    const name = type.typeName.getText();
    const [first, second] = type.typeArguments ?? [];
    if (name === "pulumi.Input" && first) return `Input[${of(first)}]`;
    if ((name === "Partial" || name === "Readonly") && first) return of(first);
    if (name === "Record" && second) return `Mapping[str, ${inner(of(second))}]`;
    if (/^Per(Kind|Command|Operation)$/.test(name) && first) return `${of(first)} | Mapping[str, ${inner(of(first))}]`;
    const known = NAMES[name];
    if (known !== undefined) return known;
  }
  throw new Error(`No Python type is known for ${type.getText()}: say in NAMES how it is written there`);
}

/** An object without a name: that of lengths has one in Python, others are written as what they map to. */
function objectOf(type: ts.TypeLiteralNode): string {
  const names = type.members.map((member) => member.name?.getText());
  return names.includes("ipv4") ? "ShortestPrefix" : "Mapping[str, Input[str]]";
}

/** The type of `PrefixSetArgs["exclusive"]`: what that interface lists. */
function membersType({ objectType, indexType }: ts.IndexedAccessTypeNode): string {
  const name = indexType.getText().replaceAll('"', "");
  const found = membersOf("prefix-set.ts", objectType.getText()).find((one) => one.name === name);
  if (!found) throw new Error(`${objectType.getText()} has no member ${name}`);
  return found.type;
}

function literals(types: readonly ts.LiteralTypeNode[]): string {
  const texts = types.map(({ literal }) => (ts.isStringLiteral(literal) ? `'${literal.text}'` : literal.getText()));
  return `Literal[${texts.join(", ")}]`;
}
