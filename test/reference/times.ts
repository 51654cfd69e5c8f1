import { readFileSync } from "node:fs";
import ts from "typescript";
import { DEFAULTS } from "../../provider/client/options";
import { CONFIG_DEFAULTS, SINK_DEFAULTS } from "../../provider/forwarder/defaults";

/** A table of defaults in the sources. */
interface Table {
  readonly name: string;
  readonly file: string;
  readonly values: object;
}

const NODES: Table = { name: "DEFAULTS", file: "provider/client/options.ts", values: DEFAULTS };
const FORWARDER = "provider/forwarder/defaults.ts";
const TABLES: Readonly<Record<string, readonly Table[]>> = {
  "a node or a receiver": [NODES],
  "the forwarder and its sinks": [
    { name: "CONFIG_DEFAULTS", file: FORWARDER, values: CONFIG_DEFAULTS },
    { name: "SINK_DEFAULTS", file: FORWARDER, values: SINK_DEFAULTS },
  ],
};

/** Every default that can be set, as the page that users read. The numbers that are fixed stand in the sources. */
export function timesPage(): string {
  const tables = Object.entries(TABLES).map(
    ([title, of]) =>
      `## Defaults of ${title}\n\n| Name | Default | Reason |\n|---|---|---|\n${of.flatMap(rowsOf).join("\n")}\n`,
  );
  return [
    "# Times, sizes and limits",
    "",
    "Defaults that can be set in the [configuration](../configuration.md) and in that of the [forwarder](../forwarder.md). Names that end in `Ms` are milliseconds.",
    "Made from the sources: `npx vitest run test/reference -u`.",
    "",
    ...tables,
  ].join("\n");
}

/** The numbers of a table, those of its inner tables by dotted names, each with the doc comment of its own or of its inner table. */
function rowsOf({ name, file, values }: Table): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const declaration = source.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => [...declarationList.declarations])
    .find((one) => one.name.getText() === name);
  const rows = (members: object, literal: ts.Node | undefined, path: string): string[] =>
    Object.entries(members).flatMap(([member, value]) => {
      const property = propertiesOf(literal).find((one) => one.name?.getText() === member);
      const reason = property ? reasonOf(property) : "";
      if (typeof value === "number") return [`| \`${path}${member}\` | ${shown(value)} | ${reason} |`];
      if (typeof value !== "object" || value === null) return [];
      const inner = rows(
        value,
        property && ts.isPropertyAssignment(property) ? property.initializer : undefined,
        `${path}${member}.`,
      );
      return inner.map((row, at) => (at === 0 && row.endsWith("|  |") ? `${row.slice(0, -2)}${reason} |` : row));
    });
  return rows(values, declaration?.initializer, "");
}

function propertiesOf(node: ts.Node | undefined): readonly ts.ObjectLiteralElementLike[] {
  if (node && ts.isAsExpression(node)) return propertiesOf(node.expression);
  return node && ts.isObjectLiteralExpression(node) ? node.properties : [];
}

const shown = (value: number) => String(value).replace(/\B(?=(\d{3})+$)/g, " ");

/** Its doc comment in one line. */
function reasonOf(node: ts.Node): string {
  const [comment] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  const text = typeof comment?.comment === "string" ? comment.comment : "";
  return text.replace(/\s+/g, " ").replaceAll("|", "\\|").trim();
}
