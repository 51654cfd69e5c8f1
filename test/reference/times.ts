import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import ts from "typescript";

/** A member of a table of defaults, such as `commitCoalesceMs` of `DEFAULTS`. */
interface Constant {
  readonly room: string;
  readonly name: string;
  readonly value: string;
  readonly reason: string;
}

/** Folders below provider/ with defaults that can be set, in the order of the page. */
const ROOMS = { client: "a node or a receiver", forwarder: "the forwarder and its sinks" };

/** Every default that can be set, as the page that users read. The numbers that are fixed stand in the sources. */
export function timesPage(): string {
  const files = execFileSync("git", ["ls-files", "--cached", "provider/*.ts"], { encoding: "utf8" }).trim().split("\n");
  const all = files.flatMap(constantsOf);
  const tables = Object.entries(ROOMS).map(([room, title]) => {
    const rows = all.filter((one) => one.room === room);
    const lines = rows.map(({ name, value, reason }) => `| \`${name}\` | ${value} | ${reason} |`);
    return `## Defaults of ${title}\n\n| Name | Default | Reason |\n|---|---|---|\n${lines.join("\n")}\n`;
  });
  return [
    "# Times, sizes and limits",
    "",
    "Defaults that can be set in the [configuration](../configuration.md) and in that of the [forwarder](../forwarder.md). Names that end in `Ms` are milliseconds.",
    "Made from the sources: `npx vitest run test/reference -u`.",
    "",
    ...tables,
  ].join("\n");
}

function constantsOf(file: string): Constant[] {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const room = relative("provider", dirname(file)).split("/")[0] ?? "";
  return source.statements.filter(ts.isVariableStatement).flatMap((statement) => {
    const [declaration] = statement.declarationList.declarations;
    const name = declaration?.name.getText() ?? "";
    if (!declaration?.initializer) return [];
    const initializer = withoutAs(declaration.initializer);
    if (!ts.isObjectLiteralExpression(initializer) || !/^(\w+_)?DEFAULTS$/.test(name)) return [];
    return initializer.properties.filter(ts.isPropertyAssignment).flatMap((member) => {
      const set = numberOf(member.initializer);
      return set === undefined
        ? []
        : [
            {
              room,
              name: member.name.getText(),
              value: shown(set),
              reason: reasonOf(member),
            },
          ];
    });
  });
}

function withoutAs(node: ts.Expression): ts.Expression {
  return ts.isAsExpression(node) || ts.isSatisfiesExpression(node) ? withoutAs(node.expression) : node;
}

/** The number that an expression of literals is; none for any other. */
function numberOf(node: ts.Expression): number | undefined {
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (ts.isParenthesizedExpression(node)) return numberOf(node.expression);
  if (!ts.isBinaryExpression(node)) return undefined;
  const [left, right] = [numberOf(node.left), numberOf(node.right)];
  if (left === undefined || right === undefined) return undefined;
  switch (node.operatorToken.kind) {
    case ts.SyntaxKind.AsteriskToken:
      return left * right;
    case ts.SyntaxKind.AsteriskAsteriskToken:
      return left ** right;
    case ts.SyntaxKind.PlusToken:
      return left + right;
    case ts.SyntaxKind.MinusToken:
      return left - right;
    default:
      return undefined;
  }
}

const shown = (value: number) => String(value).replace(/\B(?=(\d{3})+$)/g, " ");

/** Its doc comment in one line. */
function reasonOf(node: ts.Node): string {
  const [comment] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  const text = typeof comment?.comment === "string" ? comment.comment : "";
  return text.replace(/\s+/g, " ").replaceAll("|", "\\|").trim();
}
