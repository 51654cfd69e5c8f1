import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { root } from "../support/markdown";

/** A type of the plugin's schema. */
interface Type {
  readonly type?: string;
  readonly $ref?: string;
  readonly items?: Type;
  readonly additionalProperties?: Type;
  readonly oneOf?: readonly Type[];
  readonly description?: string;
  readonly secret?: boolean;
}
type Members = Readonly<Record<string, Type>>;
interface Part {
  readonly description?: string;
  readonly properties?: Members;
  readonly required?: readonly string[];
  /** The words of which one is chosen. */
  readonly enum?: readonly { readonly value: string }[];
}
interface Resource extends Part {
  readonly inputProperties: Members;
  readonly requiredInputs: readonly string[];
}
interface Schema {
  readonly resources: Readonly<Record<string, Resource>>;
  readonly functions: Readonly<Record<string, { description: string; inputs: Part; outputs: Part }>>;
  readonly types: Readonly<Record<string, Part>>;
  readonly provider: { readonly inputProperties: Members };
}

const schema: Schema = JSON.parse(readFileSync(join(root, "schemas/provider.schema.json"), "utf8"));
const shortName = (token: string) => token.split(":").at(-1) ?? token;

/** Pages of the resources and the read functions by file name, from the plugin's schema and the comments of the classes. */
export function schemaPages(): Record<string, string> {
  const resources = Object.entries(schema.resources).map(([token, one]) => [
    shortName(token),
    resourcePage(shortName(token), one),
  ]);
  const functions = Object.entries(schema.functions).map(([token, { description, inputs, outputs }]) => [
    shortName(token),
    page(shortName(token), description, [
      ["Arguments", table(["Argument", "Type", "Meaning"], rows(inputs.properties, inputs.required))],
      ["Answer", table(["Member", "Type", "Meaning"], rows(outputs.properties, []))],
    ]),
  ]);
  const structures = Object.entries(schema.types).filter(([, one]) => !one.enum);
  const objects = structures.map(([token, { description = "", properties, required }]) =>
    [`## ${shortName(token)}`, description, table(["Member", "Type", "Meaning"], rows(properties, required))]
      .filter((part) => part !== "")
      .join("\n\n"),
  );
  return {
    ...Object.fromEntries([...resources, ...functions]),
    types: `# Objects in arguments and answers\n\n${objects.join("\n\n")}\n`,
    provider: page(
      "Provider and configuration keys",
      "The keys of `packetfilter:` in a stack's configuration; an explicit `Provider` takes them as arguments. [Configuration](../configuration.md) says which comes first.",
      Object.entries(schema.provider.inputProperties).map(([key, type]) => [key, keySection(key, type)]),
    ),
  };
}

/** A key of the configuration: what it is, its type and how it is set. */
function keySection(key: string, type: Type): string {
  const about = `${type.description} Type: ${typeText(type)}.`;
  const secret = type.secret ? "--secret " : "";
  const value = isText(type) ? "VALUE" : "'JSON'";
  return `${about}\n\n\`\`\`sh\npulumi config set ${secret}packetfilter:${key} ${value}\n\`\`\``;
}

/** True for a word, a number, a switch, or one of them: what stands as it is in the file of a stack. */
function isText(type: Type): boolean {
  if (type.oneOf) return type.oneOf.every(isText);
  return typeText(type).startsWith("`") || (type.type !== undefined && !["object", "array"].includes(type.type));
}

function resourcePage(
  name: string,
  { description = "", inputProperties, requiredInputs, properties }: Resource,
): string {
  const replacing = identityOf(name);
  const change = (key: string) => (key === "node" || key === "receiver" ? "updates; another name replaces" : "updates");
  const given = rows(inputProperties, requiredInputs, (key) => (replacing.includes(key) ? "replaces" : change(key)));
  const outputs = Object.fromEntries(Object.entries(properties ?? {}).filter(([, { description: text }]) => text));
  const unkept = Object.keys(inputProperties).filter((key) => !(key in (properties ?? {})));
  const but = unkept.length > 0 ? ` but ${unkept.map((key) => `\`${key}\``).join(", ")}` : "";
  return page(name, description, [
    ["Arguments", table(["Argument", "Type", "A change", "Meaning"], given)],
    [
      "Outputs",
      `Every argument${but} is an output, too.\n\n${table(["Output", "Type", "Meaning"], rows(outputs, []))}`,
    ],
  ]);
}

function page(name: string, about: string, sections: readonly (readonly [string, string])[]): string {
  const { example, throws } = commentOf(name);
  const parts = [...sections, ["Errors", throws.map((one) => `- ${one}`).join("\n")], ["Example", example]].filter(
    ([, text]) => text !== "",
  );
  return `# ${name}\n\n${about}\n\n${parts.map(([title, text]) => `## ${title}\n\n${text}`).join("\n\n")}\n`;
}

function table(head: readonly string[], lines: readonly string[]): string {
  return [`| ${head.join(" | ")} |`, `|${"---|".repeat(head.length)}`, ...lines].join("\n");
}

function rows(members: Members = {}, required: readonly string[] = [], change?: (key: string) => string): string[] {
  return Object.entries(members).map(([key, type]) => {
    const name = `\`${key}\`${required.includes(key) ? ", required" : ""}`;
    const about = `${type.description ?? ""}${type.secret ? " Secret." : ""}`.trim();
    const cells = [name, typeText(type), ...(change ? [change(key)] : []), about];
    return `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
  });
}

function typeText({ type, $ref, items, additionalProperties, oneOf }: Type): string {
  if (oneOf) return oneOf.map(typeText).join(" or ");
  const words = schema.types[$ref?.replace("#/types/", "") ?? ""]?.enum;
  if (words) return words.map(({ value }) => `\`"${value}"\``).join(" or ");
  if ($ref) return $ref.endsWith("Any") ? "any" : `[${shortName($ref)}](types.md#${shortName($ref).toLowerCase()})`;
  if (items) return `list of ${typeText(items)}`;
  if (additionalProperties) return `map of ${typeText(additionalProperties)}`;
  return type ?? "any";
}

/** Arguments whose change replaces a resource, as its class has them. */
function identityOf(name: string): string[] {
  const { text } = declarationOf(name) ?? { text: "" };
  const [, list = ""] = /identity: \[([^\]]*)\]/.exec(text) ?? [];
  return [...list.matchAll(/"(\w+)"/g)].map(([, key = ""]) => key);
}

/** The example and the errors of a comment. */
function commentOf(name: string): { example: string; throws: string[] } {
  const tags = declarationOf(name)?.tags ?? [];
  const texts = (tag: string) =>
    tags
      .filter(({ tagName }) => tagName.text === tag)
      .map((one) => {
        const text = ts.getTextOfJSDocComment(one.comment)?.trim();
        if (!text) throw new Error(`The comment of ${name} has an empty @${tag}.`);
        const [, type] = /^\{(\w+)\}$/.exec((ts.isJSDocThrowsTag(one) && one.typeExpression?.getText()) || "") ?? [];
        return type === undefined ? text : `\`${type}\` ${text}`;
      });
  return { example: texts("example").join("\n\n"), throws: texts("throws") };
}

/** The class or function of this name, in the rooms from which programs get them. */
function declarationOf(name: string): { text: string; tags: readonly ts.JSDocTag[] } | undefined {
  for (const folder of ["provider/pulumi", "provider/prefixes"])
    for (const file of readdirSync(join(root, folder)).filter((one) => one.endsWith(".ts"))) {
      const text = readFileSync(join(root, folder, file), "utf8");
      for (const statement of ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true).statements)
        if ((ts.isClassDeclaration(statement) || ts.isFunctionDeclaration(statement)) && statement.name?.text === name)
          return { text, tags: ts.getJSDocTags(statement) };
    }
  return undefined;
}
