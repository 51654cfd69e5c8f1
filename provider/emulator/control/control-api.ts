import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { z } from "zod";
import { excess } from "../../model/plain-data";
import { PrefixError } from "../../model/prefix";
import { BODY_LEVELS, CONTROL } from "../defaults";
import { fromPage } from "../http/foreign-page";
import { json, type Reply, send } from "../http/reply";
import { BadRequest, isAuthorized, parseJson, readBody, toOriginForm } from "../http/request";
import { ExpectationError } from "../journal/expectations";
import { pageFile } from "../page/static-files";
import type { Simulation } from "../simulation";
import { fromYaml } from "../state/state-yaml";
import { fromTexts, strictly } from "../validation/strict";
import { UnknownResource } from "./lookup";
import { hasBody, type Operation } from "./operation";
import { OPERATIONS } from "./operations";

/**
 * The control API, by which tests read and change the emulator over HTTP. It is not part of the protocol and has its own
 * port. Beyond loopback it requires a token; on loopback it refuses requests that a web page could send.
 */
export class ControlApi {
  constructor(private readonly simulation: Simulation) {}

  /** A listener for `node:http`. */
  readonly listener: RequestListener = (request, response) => {
    toOriginForm(request);
    this.answer(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else void send(response, json(500, { error: `emulator defect: ${error}` }), { close: true });
    });
  };

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = this.refusal(request);
    // A browser sends no token for the page, so the page is public; it asks for the token before it shows data.
    const file = refusal?.status === 403 ? undefined : await pageFile(request.method, request.url);
    if (file) return send(response, file);
    if (refusal) return send(response, refusal, { close: true });
    const url = readTarget(request.url ?? "/");
    const found = url && findOperation(request.method ?? "GET", url.pathname);
    if (!found || "allowed" in found) return send(response, noOperation(found?.allowed ?? []), { close: true });
    const { operation, path } = found;
    const most = operation.method === "PUT" && operation.path === "/state" ? CONTROL.stateBytes : CONTROL.bodyBytes;
    const body = await readBody(request, most);
    if (body === "aborted") return void response.destroy();
    if (body === "too-large") {
      return send(response, json(413, { error: `the body is too large: at most ${most} bytes` }), { close: true });
    }
    const reply = await this.run(operation, response, async () => {
      const query = Object.fromEntries(url.searchParams);
      if (!hasBody(operation)) return check(operation.input ?? nothing, { ...query, ...path }, "query");
      check(nothing, query, "query");
      return check(operation.input, await readJsonOrYaml(request, body), "body");
    });
    if (reply) await send(response, reply);
  }

  /** The answer; `undefined` if the operation has written it itself. */
  private async run(
    operation: Operation,
    response: ServerResponse,
    input: () => Promise<unknown>,
  ): Promise<Reply | undefined> {
    const left = new AbortController();
    response.once("close", () => left.abort());
    try {
      const answer = await operation.run(this.simulation, await input(), { signal: left.signal, response });
      if (operation.method !== "GET") await this.simulation.durable?.();
      if (!operation.type) return json(200, operation.answer ? answer : { status: "ok" });
      if (answer === undefined) return undefined;
      return { status: 200, type: operation.type, body: String(answer) };
    } catch (error) {
      if (error instanceof BadRequest || error instanceof TypeError || error instanceof PrefixError)
        return json(400, { error: error.message });
      if (error instanceof ExpectationError) return json(412, { error: error.message });
      if (error instanceof UnknownResource) return json(404, { error: error.message });
      throw error;
    }
  }

  private refusal(request: IncomingMessage): Reply | undefined {
    const token = this.simulation.options.controlToken;
    if (token !== undefined) {
      if (request.url === "/health") return undefined;
      return isAuthorized(request, `Bearer ${token}`)
        ? undefined
        : { ...json(401, { error: "the control API requires its token" }), headers: { "www-authenticate": "Bearer" } };
    }
    // Without a token, refuse requests that another site's page could send.
    return fromPage(request, "the control API", { links: true });
  }
}

/** The path and query of a request; `undefined` for a target that is not valid. */
function readTarget(target: string): URL | undefined {
  try {
    const url = new URL(target, "http://control");
    decodeURIComponent(url.pathname);
    return url;
  } catch {
    return undefined;
  }
}

function noOperation(allowed: readonly string[]): Reply {
  const reply = json(allowed.length > 0 ? 405 : 404, { error: "there is no such operation: see /openapi.json" });
  return allowed.length > 0 ? { ...reply, headers: { allow: allowed.join(", ") } } : reply;
}

/** The operation for a method and path, or the methods of the path. */
function findOperation(
  method: string,
  pathname: string,
): { operation: Operation; path: Record<string, string> } | { allowed: string[] } {
  const candidates = OPERATIONS.flatMap((operation) => {
    const path = matchPath(operation.path, pathname);
    return path ? [{ operation, path }] : [];
  });
  const allowed = new Set(candidates.map(({ operation }) => operation.method));
  return candidates.find(({ operation }) => operation.method === method) ?? { allowed: [...allowed] };
}

function matchPath(pattern: string, pathname: string): Record<string, string> | undefined {
  const [expected, given] = [pattern.split("/"), pathname.split("/")];
  if (expected.length !== given.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [at, part] of expected.entries()) {
    const value = given[at] ?? "";
    if (part.startsWith("{")) parameters[part.slice(1, -1)] = decodeURIComponent(value);
    else if (part !== value) return undefined;
  }
  return parameters;
}

async function readJsonOrYaml(request: IncomingMessage, body: Buffer): Promise<unknown> {
  const type = request.headers["content-type"]?.split(";")[0]?.trim();
  if (body.length === 0) return undefined;
  if (type === "application/json") return notTooLarge(parseJson(body), body);
  if (type === "application/yaml") return notTooLarge(fromYaml(body.toString("utf8"), "the body"), body);
  throw new BadRequest("the header Content-Type must be application/json or application/yaml");
}

/** @throws {BadRequest} */
function notTooLarge(value: unknown, body: Buffer): unknown {
  const problem = excess(value, body.length, BODY_LEVELS);
  if (problem === undefined) return value;
  throw new BadRequest(`the body ${problem}`);
}

const nothing = z.strictObject({});

/** Checks an input. Texts of a query become numbers if the schema has numbers. */
function check(schema: z.ZodType | undefined, value: unknown, what: "query" | "body"): unknown {
  if (!schema) return undefined;
  const input =
    what === "query" && schema instanceof z.ZodObject ? fromTexts(schema, value as Record<string, string>) : value;
  return strictly(schema, input, `the ${what} is not valid`, BadRequest);
}
