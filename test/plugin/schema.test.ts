import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import * as pf from "../../provider/index";
import { cloudSignalingSchema } from "../../provider/resources/cloud-signaling/state";
import { prefixSetSchema } from "../../provider/resources/prefix-set/state";
import { prefixSetEntrySchema } from "../../provider/resources/prefix-set-entry/state";
import { prefixSetGroupSchema } from "../../provider/resources/prefix-set-group/state";

const root = resolve(__dirname, "../..");
const schema = JSON.parse(readFileSync(join(root, "schemas", "provider.schema.json"), "utf8"));

it("the schema in the package is the one that the types and comments make", () => {
  const program = 'import("./tools/provider-schema.mjs").then((m) => console.log(JSON.stringify(m.providerSchema())))';
  const made = execFileSync(process.execPath, ["-e", program], { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 });
  expect(JSON.parse(made), "make it anew with: node tools/provider-schema.mjs").toEqual(schema);
});

it("has every resource with a comment for each argument, its dynamic token as an alias, and the package's version", () => {
  expect(Object.keys(schema.resources)).toEqual(
    ["PrefixSet", "PrefixSetGroup", "PrefixSetEntry", "CloudSignaling"].map((type) => `packetfilter:index:${type}`),
  );
  for (const [token, resource] of Object.entries<Record<string, never>>(schema.resources)) {
    const { inputProperties, aliases } = resource as unknown as {
      inputProperties: Record<string, { description?: string }>;
      aliases: unknown;
    };
    const bare = Object.entries(inputProperties).filter(([, { description }]) => !description);
    expect(bare, token).toEqual([]);
    expect(aliases).toEqual([{ type: `pulumi-nodejs:dynamic/packetfilter:${token.split(":")[2]}` }]);
  }
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  expect(schema.version).toBe(version);
});

/** Arguments that the checks of the handlers take, by type. */
const CHECKED: Readonly<Record<string, z.ZodObject>> = {
  PrefixSet: prefixSetSchema,
  PrefixSetGroup: prefixSetGroupSchema,
  PrefixSetEntry: prefixSetEntrySchema,
  CloudSignaling: cloudSignalingSchema,
};
/** Arguments that a program does not give: the engine hands them in with `ignoreChanges`. */
const HANDED = ["notes", "differs"];

it.each(Object.keys(CHECKED))(
  "takes of a %s what its check takes, with the words among which it chooses, as its page says",
  (type) => {
    const { shape } = CHECKED[type] as z.ZodObject;
    const { inputProperties, requiredInputs, properties } = schema.resources[`packetfilter:index:${type}`];
    const checked = Object.keys(shape).filter((name) => !HANDED.includes(name));
    expect(Object.keys(inputProperties).toSorted()).toEqual(checked.toSorted());
    const needed = checked.filter((name) => shape[name]?.safeParse(undefined).success === false);
    expect(requiredInputs).toEqual(expect.arrayContaining(needed));
    const page = readFileSync(join(root, "docs/reference", `${type}.md`), "utf8");
    for (const [name, { $ref }] of Object.entries<{ $ref?: string }>(inputProperties)) {
      const words = schema.types[$ref?.replace("#/types/", "") ?? ""]?.enum?.map(
        ({ value }: { value: string }) => value,
      );
      const inner = shape[name] instanceof z.ZodOptional ? shape[name].unwrap() : shape[name];
      expect(words, name).toEqual(inner instanceof z.ZodEnum ? inner.options.toSorted() : undefined);
      expect(page, name).toContain(`\`${name}\``);
    }
    for (const name of Object.keys(properties)) expect(page, name).toContain(name);
  },
);

it("keeps secrets: what a provider is given to reach nodes and receivers, and their headers and keys in arguments", () => {
  const settings = Object.entries<{ secret?: boolean }>(schema.provider.inputProperties);
  expect(settings.filter(([, { secret }]) => secret).map(([name]) => name)).toEqual([
    ...["headers", "node", "secretKey", "receiver", "nodes", "receivers"],
  ]);
  expect(schema.types["packetfilter:index:Node"].properties.headers.secret).toBe(true);
  expect(schema.types["packetfilter:index:Receiver"].properties.secretKey.secret).toBe(true);
});

it("says nothing that holds in a TypeScript program alone, and points to no file that an SDK does not have", () => {
  const text = JSON.stringify(schema);
  expect(text.match(/[^".]*(?:docs\/[a-z-]+\.md|Runs in the program)[^".]*/g)).toBeNull();
});

it("names no type and no function that TypeScript alone has", () => {
  const texts = [...JSON.stringify(schema).matchAll(/"description":"((?:[^"\\]|\\.)*)"/g)].map(([, text = ""]) => text);
  const quoted = texts.flatMap((text) => [...text.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name));
  const tokens = [...Object.keys(schema.resources), ...Object.keys(schema.functions), ...Object.keys(schema.types)];
  const known = new Set(tokens.map((token) => token.split(":").at(-1)));
  const isName = (word: string) => /^[A-Z][a-z]+[A-Z]/.test(word) || word in pf;
  expect(quoted.some(isName)).toBe(true);
  expect(quoted.filter((word) => isName(word) && !known.has(word))).toEqual([]);
});

it("says of each argument that takes anything what may be given, and of no map of a state that it holds numbers alone", () => {
  const { inputProperties, properties: ofState } = schema.resources["packetfilter:index:PrefixSetGroup"];
  for (const { additionalProperties } of [ofState.entries, ofState.differs.additionalProperties])
    expect(additionalProperties).toEqual({ $ref: "pulumi.json#/Any" });
  const { entries } = inputProperties;
  const { waves } = schema.types["packetfilter:index:Rollout"].properties;
  const { answers } = schema.types["packetfilter:index:Node"].properties;
  expect(entries.description).toMatch(/a map by prefix .* or a list/);
  expect(waves.description).toMatch(/a list of .* or as `\{ canary/);
  expect(answers.description).toContain("`pulumi-packetfilter docs configuration`");
});

it("knows all that the program in YAML uses", () => {
  const { resources, variables } = parse(readFileSync(join(root, "examples/yaml/Pulumi.yaml"), "utf8"));
  const full = (short: string) => short.replace(":", ":index:");
  const used = Object.values<{ type: string; properties: object }>(resources);
  expect(used.map(({ type }) => full(type)).filter((token) => !(token in schema.resources))).toEqual([]);
  for (const { type, properties } of used) {
    const { inputProperties, requiredInputs } = schema.resources[full(type)];
    expect(Object.keys(inputProperties)).toEqual(expect.arrayContaining(Object.keys(properties)));
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(requiredInputs));
  }
  const called = variables.found["fn::invoke"];
  expect(Object.keys(schema.functions[full(called.function)].inputs.properties)).toEqual(
    expect.arrayContaining(Object.keys(called.arguments)),
  );
});
