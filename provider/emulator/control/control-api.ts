import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { isIP } from "node:net";
import { z } from "zod";
import { PrefixError } from "../../model/prefix";
import { sameText } from "../http/admission";
import { readBody, send } from "../http/http-server";
import { BadRequest, parseJson } from "../http/json-body";
import { json, type Reply, text } from "../http/reply";
import { ExpectationError } from "../journal/expectations";
import { pageFile } from "../page/static-files";
import { fromYaml } from "../state/state-file";
import { UnknownResource } from "../state/unknown-resource";
import { strictly } from "../validation/strict";
import { matchRoute } from "./match";
import type { ControlRoute } from "./route";
import type { ControlledEmulator, ControlledSimulation } from "./subject";

/** Bodies of the control API: a state with a million marks fits. */
const MAX_BODY = 256 * 2 ** 20;

/** What the control API serves. */
export interface ControlOptions {
  readonly simulation: ControlledSimulation;
  readonly routes: readonly ControlRoute[];
  /** What callers must send as a bearer token; `undefined`: nothing, and then no web page may call. */
  readonly token: string | undefined;
}

/**
 * The control API: what a test asks and does behind the backs of the clients, over HTTP. No part of the protocol, and on a
 * port of its own. Off loopback it wants a token; on loopback it refuses what a web page in a browser could send.
 */
export class ControlApi {
  private emulator: ControlledEmulator | undefined;

  constructor(private readonly options: ControlOptions) {}

  /** From now on requests are answered. */
  serve(emulator: ControlledEmulator): void {
    this.emulator = emulator;
  }

  /** A listener for `node:http`. */
  readonly listener: RequestListener = (request, response) => {
    this.answer(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else void send(response, json(500, { error: `emulator defect: ${error}` }), { close: true });
    });
  };

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = this.refusal(request);
    // A browser sends no token for a page: that is public, and asks for the token to show anything.
    const file = refusal?.status === 403 ? undefined : await pageFile(request.method, request.url);
    if (file) return send(response, file);
    if (refusal || !this.emulator) return send(response, refusal ?? text(503, "starting"), { close: true });
    const url = readTarget(request.url ?? "/");
    const found = url && matchRoute(this.options.routes, request.method ?? "GET", url.pathname);
    if (!found || !("route" in found)) return send(response, noOperation(found?.allowed ?? []), { close: true });
    const body = await readBody(request, MAX_BODY);
    if (body === "aborted") return void response.destroy();
    if (body === "too-large") return send(response, json(413, { error: "the body is too large" }), { close: true });
    const reply = await this.carryOut(found.route, this.emulator, {
      path: found.path,
      query: url.searchParams,
      body,
      request,
      response,
    });
    if (reply) await send(response, reply);
  }

  private async carryOut(
    route: ControlRoute,
    emulator: ControlledEmulator,
    input: {
      path: Record<string, string>;
      query: URLSearchParams;
      body: Buffer;
      request: IncomingMessage;
      response: ServerResponse;
    },
  ): Promise<Reply | undefined> {
    try {
      const query = parse(route.query ?? z.strictObject({}), Object.fromEntries(input.query), "query");
      const body = route.body ? parse(route.body, await readBodyOf(input), "body") : undefined;
      const { simulation, routes } = this.options;
      const reply = await route.run({
        emulator,
        simulation,
        routes,
        path: input.path,
        query,
        body,
        request: input.request,
        response: input.response,
      });
      if (route.method !== "GET") await simulation.durable?.();
      return reply;
    } catch (error) {
      if (error instanceof BadRequest || error instanceof TypeError || error instanceof PrefixError)
        return json(400, { error: error.message });
      if (error instanceof ExpectationError) return json(412, { error: error.message });
      if (error instanceof UnknownResource) return json(404, { error: error.message });
      throw error;
    }
  }

  private refusal(request: IncomingMessage): Reply | undefined {
    const { token } = this.options;
    if (token !== undefined) {
      if (request.url === "/health") return undefined;
      return sameText(request.headers.authorization ?? "", `Bearer ${token}`)
        ? undefined
        : { ...json(401, { error: "the control API needs its token" }), headers: { "www-authenticate": "Bearer" } };
    }
    // Without a token only what cannot come from somebody else's page, which may reach loopback by a name of its own.
    const host = (request.headers.host ?? "").replace(/:\d+$/, "").replace(/^\[|\]$/g, "");
    if (host !== "localhost" && isIP(host) === 0)
      return json(403, { error: "the control API is called by address or as localhost" });
    const { origin } = request.headers;
    if (origin !== undefined && origin !== `http://${request.headers.host}`)
      return json(403, { error: "the control API is not for other pages" });
    return undefined;
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

async function readBodyOf({ body, request }: { body: Buffer; request: IncomingMessage }): Promise<unknown> {
  const type = String(request.headers["content-type"] ?? "")
    .split(";")[0]
    ?.trim();
  if (body.length === 0) return undefined;
  if (type === "application/json") return parseJson(body);
  if (type === "application/yaml") return fromYaml(body.toString("utf8"), "the body");
  throw new BadRequest("the header Content-Type must be application/json or application/yaml");
}

function parse<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  return strictly(schema, value, `the ${what} is not valid`, BadRequest);
}
