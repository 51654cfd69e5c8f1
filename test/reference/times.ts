import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import ts from "typescript";

/** One constant of the sources: `MAX_REDIRECTS`, or a member of a table such as `DEFAULTS.commitCoalesceMs`. */
interface Constant {
  readonly room: string;
  readonly name: string;
  readonly value: string;
  readonly reason: string;
}

/** Folders below provider/, in the order of the page. The emulator's page is a program of its own, and its engine counts bits. */
const ROOMS = [
  "model",
  "wire",
  "client",
  "batch",
  "resources",
  "pulumi",
  "prefixes",
  "commands",
  "forwarder",
  "emulator",
];
const LEFT_OUT = /^provider\/emulator\/(page\/client|marks|rules|packets)\//;

/** Every number of the package that has a name and a reason, as the page that users read. */
export function timesPage(): string {
  const files = execFileSync("git", ["ls-files", "--cached", "provider/*.ts"], { encoding: "utf8" }).trim().split("\n");
  const all = files.filter((file) => !LEFT_OUT.test(file)).flatMap(constantsOf);
  const tables = ROOMS.map((room) => {
    const rows = all.filter((one) => one.room === room);
    const lines = rows.map(({ name, value, reason }) => `| \`${name}\` | ${value} | ${reason} |`);
    return `## ${room}\n\n| Name | Value | What for |\n|---|---|---|\n${lines.join("\n")}\n`;
  });
  return [
    "# Times, sizes and limits",
    "",
    "Every number of the package that decides something, by folder of `provider/`. `DEFAULTS`, `CONFIG_DEFAULTS` and `SINK_DEFAULTS` can be set",
    "([configuration](configuration.md), [forwarder](forwarder.md)); the others are fixed. Names that end in `Ms` or `_MS` are milliseconds. Made from",
    "the sources: `npx vitest run test/reference -u`.",
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
    if (!declaration?.initializer || !/^[A-Z][A-Z_]+$/.test(name)) return [];
    const initializer = withoutAs(declaration.initializer);
    const reason = reasonOf(statement);
    const value = numberOf(initializer);
    if (value !== undefined) return reason ? [{ room, name, value: shown(value), reason }] : [];
    if (!ts.isObjectLiteralExpression(initializer) || !/^(DEFAULTS|TIMES|SIZES|\w+_DEFAULTS)$/.test(name)) return [];
    return initializer.properties.filter(ts.isPropertyAssignment).flatMap((member) => {
      const set = numberOf(member.initializer);
      return set === undefined
        ? []
        : [
            {
              room,
              name: `${name}.${member.name.getText()}`,
              value: shown(set),
              reason: reasonOf(member) || "a member of the configuration",
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
