import { z } from "zod";
import { dialectSchema } from "../behaviour/dialect";
import { faultSchema } from "../behaviour/fault-schema";
import { CONTROL } from "../defaults";
import { stateSchema } from "../state/state";
import { done, hasBody, type Operation, pathParameters } from "./operation";

type Json = Record<string, unknown>;

/** The control API in OpenAPI 3.1, generated from the operations. */
export function openApi(operations: readonly Operation[]): Json & { readonly openapi: string } {
  const paths: Record<string, Json> = {};
  const schemas: Record<string, unknown> = {};
  const describe = (of: z.ZodType) => reference(of, schemas);
  schemas.Error = describe(z.object({ error: z.string() }));
  const error = { "application/json": { schema: { $ref: "#/components/schemas/Error" } } };
  for (const each of operations.filter(isDescribed)) {
    paths[each.path] = { ...paths[each.path], [each.method.toLowerCase()]: describeOperation(each, describe) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "pulumi-packetfilter emulator: control API",
      version: "1",
      description:
        "Control of the emulator by tests. No part of the node API or the signaling API. Beyond loopback every operation requires the token.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      responses: Object.fromEntries(
        Object.values(FAILURES).map(({ name, description }) => [name, { description, content: error }]),
      ),
      schemas,
    },
    security: [{}, { token: [] }],
  };
}

/** False for operations of the page alone, which change with the page. */
export function isDescribed({ path }: Operation): boolean {
  return !path.startsWith("/page");
}

type Describe = (of: z.ZodType) => Json;

function describeOperation(operation: Operation, describe: Describe): Json {
  const { input, summary, answer = done, type } = operation;
  const withBody = input !== undefined && hasBody(operation);
  const failures = [
    ...["400", ...(operation.path === "/health" ? [] : ["401"]), "403"],
    ...(mayMiss(operation) ? ["404"] : []),
    "405",
    ...(expects(operation) ? ["412"] : []),
    "413",
  ];
  const parameters = withBody ? [] : describeParameters(operation, describe);
  const [media = "application/json"] = type?.split(";") ?? [];
  return {
    operationId: operationId(operation),
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(withBody && {
      requestBody: {
        required: true,
        content: Object.fromEntries(
          ["application/json", "application/yaml"].map((type) => [type, { schema: describe(input) }]),
        ),
      },
    }),
    responses: {
      200: { description: summary, content: { [media]: { schema: type ? { type: "string" } : describe(answer) } } },
      ...Object.fromEntries(
        failures.map((status) => [status, { $ref: `#/components/responses/${FAILURES[status]?.name}` }]),
      ),
    },
  };
}

const FAILURES: Record<string, { readonly name: string; readonly description: string }> = {
  400: { name: "Invalid", description: "The request is not valid." },
  401: { name: "TokenWanted", description: "The required token is missing or wrong." },
  403: { name: "OtherSite", description: "A request without a token that may come from another site's page." },
  404: { name: "Unknown", description: "The object does not exist." },
  405: { name: "OtherMethod", description: "The path has only the methods in the header Allow." },
  412: { name: "NotAsExpected", description: "The journal lacks the expected requests." },
  413: {
    name: "TooLarge",
    description: `The body is larger than ${CONTROL.bodyBytes} bytes, or ${CONTROL.stateBytes} of PUT /state.`,
  },
};

const expects = ({ path }: Operation) => /^\/journal\/(wait|expect)/.test(path);

/** True for an operation on an object that may not exist. */
function mayMiss({ path, input }: Operation): boolean {
  const isNeeded = (name: string) =>
    input instanceof z.ZodObject && name in input.shape && isRequired(input.shape[name]);
  return pathParameters(path).length > 0 || isNeeded("url") || isNeeded("clientId");
}

const isRequired = (member: z.ZodType) => !member.safeParse(undefined).success;

function describeParameters({ path, input }: Operation, describe: Describe): Json[] {
  if (!(input instanceof z.ZodObject)) return [];
  const inPath = pathParameters(path);
  return Object.entries(input.shape as Record<string, z.ZodType>).map(([name, member]) => ({
    name,
    in: inPath.includes(name) ? "path" : "query",
    required: isRequired(member),
    schema: describe(member),
  }));
}

function operationId({ method, path }: Operation): string {
  const words = path
    .replaceAll("{", "by-")
    .split(/[^A-Za-z]+/)
    .filter(Boolean);
  return [method.toLowerCase(), ...words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join("");
}

/** Schemas that several operations share, by their names in the description. */
const SHARED = new Map<z.ZodType, string>([
  [stateSchema, "State"],
  [dialectSchema, "Dialect"],
  [faultSchema, "Fault"],
]);

/** A schema, or a reference to a shared one; its definitions are added to `schemas`. */
function reference(of: z.ZodType, schemas: Record<string, unknown>): Json {
  const name = SHARED.get(of) ?? of.meta()?.id;
  if (name === undefined) return jsonSchema(of, schemas);
  schemas[name] ??= jsonSchema(of, schemas);
  return { $ref: `#/components/schemas/${name}` };
}

function jsonSchema(of: z.ZodType, schemas: Record<string, unknown>): Json {
  const whole = z.toJSONSchema(of, { io: "input", unrepresentable: "any" });
  // Only the schema of any JSON value refers to itself without a name.
  const text = JSON.stringify(whole).replaceAll("#/$defs/", "#/components/schemas/").replaceAll("__schema0", "Json");
  const { $schema: _, $defs, id: __, ...schema } = JSON.parse(text);
  // From an array or object of itself, generators make a type that TypeScript refuses.
  if ($defs?.Json) $defs.Json = { description: "Any JSON value." };
  Object.assign(schemas, $defs);
  return schema;
}
