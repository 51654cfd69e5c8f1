import { z } from "zod";
import { dialectSchema } from "../behaviour/dialect";
import { faultSchema } from "../behaviour/faults";
import { stateSchema } from "../state/state";
import type { ControlRoute } from "./route";

type Json = Record<string, unknown>;

/** Path parameters of a path. */
const PARAMETER = /\{(\w+)\}/g;

/** The control API in OpenAPI 3.1, made of the operations themselves. */
export function openApi(routes: readonly ControlRoute[]): Json {
  const paths: Record<string, Json> = {};
  const schemas: Record<string, unknown> = {};
  const describe = (of: z.ZodType) => reference(of, schemas);
  schemas.Error = describe(z.object({ error: z.string() }));
  for (const route of routes.filter(isDescribed)) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route, describe) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "pulumi-packetfilter emulator: control API",
      version: "1",
      description:
        "What a test asks and does behind the backs of the clients. No part of the node API or the signaling API. Off loopback every operation wants the token.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas,
    },
    security: [{}, { token: [] }],
  };
}

/** What only the page on the control port asks is not described: it changes with the page. */
export function isDescribed({ path }: ControlRoute): boolean {
  return !path.startsWith("/page");
}

type Describe = (of: z.ZodType) => Json;

function operation(route: ControlRoute, describe: Describe): Json {
  const failures = [
    ...(route.query || route.body ? ["400"] : []),
    ...(mayMiss(route) ? ["404"] : []),
    ...(expects(route) ? ["412"] : []),
  ];
  const { body } = route;
  const parameters = [...pathParameters(route), ...queryParameters(route, describe)];
  return {
    operationId: operationId(route),
    summary: route.summary,
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        content: Object.fromEntries(
          ["application/json", "application/yaml"].map((type) => [type, { schema: describe(body) }]),
        ),
      },
    }),
    responses: {
      200: { description: route.summary, content: answerContent(route, describe) },
      ...Object.fromEntries(failures.map((status) => [status, failure(status)])),
    },
  };
}

function answerContent({ answer, answerType }: ControlRoute, describe: Describe): Json {
  if (!answer) return { [answerType ?? "text/plain"]: { schema: { type: "string" } } };
  return { "application/json": { schema: describe(answer) } };
}

const FAILURES: Record<string, string> = {
  400: "The request is not valid.",
  404: "There is no such thing.",
  412: "The journal does not hold what was expected.",
};

function failure(status: string): Json {
  return {
    description: FAILURES[status],
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
  };
}

/** Whether an operation is a test's expectation. */
const expects = ({ path }: ControlRoute) => /^\/journal\/(wait|expect)/.test(path);

/** Whether an operation names something that may not exist. */
function mayMiss({ path, query }: ControlRoute): boolean {
  const names = query instanceof z.ZodObject ? Object.keys(query.shape) : [];
  return path.includes("{") || path === "/prefix-set/change" || path === "/signalings" || names.includes("url");
}

function pathParameters({ path }: ControlRoute): Json[] {
  return [...path.matchAll(PARAMETER)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function queryParameters({ query }: ControlRoute, describe: Describe): Json[] {
  if (!(query instanceof z.ZodObject)) return [];
  return Object.entries(query.shape).map(([name, member]) => ({
    name,
    in: "query",
    required: !(member as z.ZodType).safeParse(undefined).success,
    schema: describe(member as z.ZodType),
  }));
}

function operationId({ method, path }: ControlRoute): string {
  const words = path
    .replace(PARAMETER, "by-$1")
    .split(/[^A-Za-z]+/)
    .filter(Boolean);
  return [method.toLowerCase(), ...words.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join("");
}

/** Schemas that several operations share, by the name that they have in the description. */
const SHARED = new Map<z.ZodType, string>([
  [stateSchema, "State"],
  [dialectSchema, "Dialect"],
  [faultSchema, "Fault"],
]);

/** A schema, or a reference to it where it is shared; what it defines goes into `schemas`. */
function reference(of: z.ZodType, schemas: Record<string, unknown>): Json {
  const name = SHARED.get(of);
  if (name === undefined) return jsonSchema(of, schemas);
  schemas[name] ??= jsonSchema(of, schemas);
  return { $ref: `#/components/schemas/${name}` };
}

function jsonSchema(of: z.ZodType, schemas: Record<string, unknown>): Json {
  const whole = z.toJSONSchema(of, { io: "input", unrepresentable: "any" });
  // The only schema without a name that refers to itself is that of any JSON value.
  const text = JSON.stringify(whole).replaceAll("#/$defs/", "#/components/schemas/").replaceAll("__schema0", "Json");
  const { $schema: _, $defs, ...schema } = JSON.parse(text);
  Object.assign(schemas, $defs);
  return schema;
}
