import { z } from "zod";
import { ExpectationError } from "../journal/expectations";
import { UnknownResource } from "../state/unknown-resource";
import type { AnyClientCall, FaultRemover, RemoteMembers, RequestParts } from "./client-call";
import { ROUTES } from "./index";
import type { ControlRoute } from "./route";

/** How to reach an emulator. */
export interface ConnectOptions {
  /** The token that its control API wants. Default: none. */
  readonly token?: string;
  /** What sends requests. Default: that of Node. */
  readonly fetch?: typeof globalThis.fetch;
}

/**
 * A running emulator from afar: the members of `Emulator`, each a promise. Left out are `seedNumber` and `replay`, whose
 * traffic is made where the emulator runs: there is `POST /traffic` for it. Closing ends nothing but this client.
 */
export type RemoteEmulator = RemoteMembers & FaultRemover & AsyncDisposable & { close(): Promise<void> };

/**
 * A client for the control API of an emulator that runs elsewhere: in a container, as a command, in another process. It has the
 * methods of the object that `startEmulator` gives, so that one test works with either, if it awaits what they give.
 *
 * @param control Address of the control API: `control` in the ready line.
 * @throws {TypeError} when the address is none or what is there is no control API, or whenever a call is not valid;
 *   {UnknownResource} for what does not exist; {ExpectationError} as the object; {Error} when nothing answers, or the token is wrong.
 * @example
 * ```ts
 * const emulator = await connectEmulator("http://127.0.0.1:41235", { token: process.env.EMULATOR_TOKEN });
 * await emulator.fail({ cmd: "commit", status: 503 });
 * const { applied } = await emulator.prefixSet("prefixset://edge/blocked");
 * ```
 */
export async function connectEmulator(control: string, options: ConnectOptions = {}): Promise<RemoteEmulator> {
  const caller = new Caller(origin(control), options);
  const close = async () => {};
  const target: Record<string, unknown> = { close, [Symbol.asyncDispose]: close };
  for (const route of ROUTES) {
    for (const [name, call] of Object.entries(route.calls ?? {})) {
      define(target, name, { value: (...args: unknown[]) => caller.call(route, call, args, target) });
    }
    for (const [name, call] of Object.entries(route.reads ?? {})) {
      define(target, name, { get: () => caller.call(route, call, [], target) });
    }
  }
  // Whole: a test compares its members with those of the object.
  const remote = target as unknown as RemoteEmulator;
  const { clients: _, testClients: __, ...fixed } = await remote.info();
  const addresses = { controlToken: undefined, tls: undefined, ...fixed, control: caller.control };
  for (const [name, value] of Object.entries(addresses)) define(target, name, { value });
  return remote;
}

/** Sends calls as requests, and makes their answers what the object gives and throws. */
class Caller {
  constructor(
    readonly control: string,
    private readonly options: ConnectOptions,
  ) {}

  async call(
    route: ControlRoute,
    { request, result }: AnyClientCall,
    args: unknown[],
    client: object,
  ): Promise<unknown> {
    const answer = await this.send(route, request?.(...args) ?? {});
    const read = (route.answer ?? z.unknown()).safeParse(answer);
    if (!read.success) {
      throw new TypeError(
        `${this.said(route)}: the answer has a form that this version does not know. Is it the control API of an emulator of the same version?`,
      );
    }
    return result(read.data, client as FaultRemover);
  }

  private async send(route: ControlRoute, parts: RequestParts): Promise<unknown> {
    const { token, fetch = globalThis.fetch } = this.options;
    const response = await this.reach(route, () =>
      fetch(this.control + address(route.path, parts), {
        method: route.method,
        redirect: "error",
        signal: parts.signal,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(route.body && { "content-type": "application/json" }),
        },
        ...(route.body && { body: JSON.stringify(parts.body) }),
      }),
    );
    const text = await this.reach(route, () => response.text());
    if (response.ok) return fromJson(text);
    throw this.failure(route, response.status, reason(text));
  }

  private async reach<T>(route: ControlRoute, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      const why = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
      throw new Error(
        `${this.said(route)}: no answer (${why}). Does the emulator run, and is this its control address?`,
      );
    }
  }

  private failure(route: ControlRoute, status: number, why: string): Error {
    if (status === 400) return new TypeError(why);
    if (status === 404) return new UnknownResource(why);
    if (status === 412) return new ExpectationError(why);
    const hint = status === 401 ? " Give it as `token`; the ready line of the emulator has it." : "";
    return new Error(`${this.said(route)}: HTTP ${status}, ${why}.${hint}`);
  }

  private said({ method, path }: ControlRoute): string {
    return `${method} ${path} of the emulator at ${this.control}`;
  }
}

/** Defines `clock.now` as `now` of an object `clock`. */
function define(target: Record<string, unknown>, name: string, property: PropertyDescriptor): void {
  const [first = "", second] = name.split(".");
  if (second === undefined) {
    Object.defineProperty(target, first, { ...property, enumerable: true });
    return;
  }
  target[first] ??= {};
  Object.defineProperty(target[first], second, { ...property, enumerable: true });
}

function origin(control: string): string {
  if (typeof control === "string" && URL.canParse(control) && /^https?:/.test(control)) return new URL(control).origin;
  throw new TypeError(
    `connectEmulator(): ${JSON.stringify(control)} is not the address of a control API: write for example "http://127.0.0.1:41235".`,
  );
}

function address(path: string, { path: names = {}, query = {} }: RequestParts): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(names[name])));
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return given.size === 0 ? filled : `${filled}?${given}`;
}

function reason(text: string): string {
  return z.object({ error: z.string() }).safeParse(fromJson(text)).data?.error ?? text;
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
