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
  TlsArgs: "Tls",
  EntryArgs: "Entry",
  AnswersArgs: "Answers",
  EntriesInput: "Entries",
  NodeInput: "Input[str | Node]",
  ReceiverInput: "Input[str | Receiver]",
};

/** The interfaces of a source file of `provider/pulumi/`, by name, each with what it lists. */
export function argumentLists(file: string): Record<string, readonly Argument[]> {
  const interfaces = statementsOf(file).filter(ts.isInterfaceDeclaration);
  return Object.fromEntries(
    interfaces.map(({ name, members }) => [name.text, members.filter(ts.isPropertySignature).map(argument)]),
  );
}

/** A type of such a file that is no interface, as Python would write it. */
export function typeNamed(name: string, file: string): string {
  const alias = statementsOf(file)
    .filter(ts.isTypeAliasDeclaration)
    .find((one) => one.name.text === name);
  if (!alias) throw new Error(`${file} has no type ${name}`);
  return python(alias.type);
}

/** What instances of the class of a file declare, by name, with its doc comment. */
export function declaredBy(file: string): Record<string, string> {
  const members = statementsOf(file)
    .filter(ts.isClassDeclaration)
    .flatMap((one) => [...one.members]);
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

function argument(member: ts.PropertySignature): Argument {
  if (!member.type) throw new Error(`${member.name.getText()} has no type`);
  return {
    name: member.name.getText(),
    type: python(member.type),
    required: member.questionToken === undefined,
    text: textOf(member),
  };
}

/** Texts of both languages differ in how they write a truth value, and nothing else. */
function textOf(node: ts.Node): string {
  const [comment] = ts.getJSDocCommentsAndTags(node);
  const text = comment && ts.isJSDoc(comment) ? ts.getTextOfJSDocComment(comment.comment) : undefined;
  return (text ?? "")
    .replace(/\s+/g, " ")
    .replace(/`(true|false)`/g, (_, word: string) => (word === "true" ? "`True`" : "`False`"));
}

function python(type: ts.TypeNode): string {
  switch (type.kind) {
    case ts.SyntaxKind.StringKeyword:
      return "str";
    case ts.SyntaxKind.NumberKeyword:
      return "int";
    case ts.SyntaxKind.BooleanKeyword:
      return "bool";
  }
  if (ts.isArrayTypeNode(type)) return `Sequence[${python(type.elementType)}]`;
  if (ts.isLiteralTypeNode(type)) return literals([type]);
  if (ts.isUnionTypeNode(type)) {
    const texts = type.types.filter(ts.isLiteralTypeNode);
    return texts.length > 0 ? literals(texts) : type.types.map(python).join(" | ");
  }
  if (ts.isTypeLiteralNode(type)) return "ShortestPrefix";
  if (ts.isTypeReferenceNode(type)) {
    const name = type.typeName.getText();
    const [first, second] = type.typeArguments ?? [];
    if (name === "pulumi.Input" && first) return `Input[${python(first)}]`;
    if (name === "Partial" && first) return python(first);
    if (name === "Record" && second) return `Mapping[str, ${python(second)}]`;
    const known = NAMES[name];
    if (known !== undefined) return known;
  }
  throw new Error(`No Python type is known for ${type.getText()}: say in NAMES how it is written there`);
}

function literals(types: readonly ts.LiteralTypeNode[]): string {
  return `Literal[${types.map(({ literal }) => `'${(literal as ts.StringLiteral).text}'`).join(", ")}]`;
}
