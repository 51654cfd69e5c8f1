import { z } from "zod";
import { wholeBody } from "../../model/limited-body";
import { jsonIn } from "../../model/readable";
import { CONTROL_ANSWER_BYTES, CONTROL_DEADLINE_MS } from "../defaults";
import { protocolAddresses } from "../info";
import type { IsolatedOptions } from "../isolated";
import { ExpectationError } from "../journal/expectations";
import { strictly } from "../validation/strict";
import { remoteClock } from "./behaviour";
import { emulators, isolatedAsJson, isolatedOptions } from "./emulators";
import { UnknownResource } from "./lookup";
import { type AnyMember, type FaultRemover, hasBody, type Operation, pathParameters } from "./operation";
import { MEMBERS, type RemoteMembers } from "./operations";
import { remoteTraffic } from "./traffic";

/** Addresses and token of an emulator. */
export interface ConnectOptions {
  /**
   * Base address of the protocol from here, if it differs from the emulator's own: through mapped ports. The signaling APIs
   * are below it, unless they are given, too.
   */
  readonly endpoint?: string;
  /** Base address of the signaling API from here. */
  readonly signalingUrl?: string;
  /** Base address of the test deployment from here. */
  readonly testSignalingUrl?: string;
  /** The token of its control API. Default: none. */
  readonly token?: string;
  /** Function that sends requests. Default: that of Node. */
  readonly fetch?: typeof globalThis.fetch;
}

/**
 * A running emulator in another process: the members of `Emulator`, each a promise, except `seedNumber` and
 * `receiveTraffic`; `traffic` generates traffic in the emulator's process. Closing ends only this client.
 */
export type RemoteEmulator = RemoteMembers &
  AsyncDisposable & {
    /** Ends this client; the emulator goes on. */
    close(): Promise<void>;
    /** See `Emulator.isolated`. The client of an isolated emulator uses the host of this one, and ends the emulator when it is closed. */
    isolated(options: IsolatedOptions): Promise<RemoteEmulator>;
  };

/**
 * A client for the control API of an emulator in another process, such as a container or the command. It has the methods of
 * the object that `startEmulator` returns: a test that awaits the results works with either.
 *
 * @param control Address of the control API: `control` in the ready line.
 * @throws {TypeError} for an address that is not valid or not of a control API, and for a call that is not valid;
 *   {UnknownResource} for missing objects; {ExpectationError} as the object; {Error} without an answer or with a wrong token.
 * @example
 * ```ts
 * const emulator = await connectEmulator("http://127.0.0.1:41235", { token: process.env.EMULATOR_TOKEN });
 * await emulator.fail({ cmd: "commit", status: 503 });
 * const { applied } = await emulator.prefixSet("prefixset://edge/blocked");
 * ```
 */
export function connectEmulator(control: string, options: ConnectOptions = {}): Promise<RemoteEmulator> {
  return connect(control, options, async () => {});
}

/** @param close Called when the client is closed. */
async function connect(control: string, options: ConnectOptions, close: () => Promise<void>): Promise<RemoteEmulator> {
  const connection = new Connection(origin(control), options);
  const emulator = { close, [Symbol.asyncDispose]: close, clock: {} };
  // The cast is safe once the members are defined: a test compares them with those of the object.
  const remote = emulator as unknown as RemoteEmulator;
  const define = (target: object, members: readonly [string, AnyMember][]) => {
    for (const [name, member] of members) {
      const call = (...args: unknown[]) => connection.call(member, args, remote);
      const property = member.kind === "method" ? { value: call } : { get: () => call() };
      Object.defineProperty(target, name, { ...property, enumerable: true, configurable: true });
    }
  };
  define(emulator, [...MEMBERS, ...Object.entries(remoteTraffic)] as [string, AnyMember][]);
  define(emulator.clock, Object.entries(remoteClock) as [string, AnyMember][]);
  const { endpoint, signalingUrl, testSignalingUrl } = options;
  const here = {
    ...(endpoint !== undefined && protocolAddresses(addressOf("endpoint", endpoint))),
    ...(signalingUrl !== undefined && { signalingUrl: addressOf("signalingUrl", signalingUrl) }),
    ...(testSignalingUrl !== undefined && { testSignalingUrl: addressOf("testSignalingUrl", testSignalingUrl) }),
    control: connection.control,
  };
  const { info: said } = remote;
  const infoHere = async () => ({ ...(await said()), ...here });
  Object.defineProperty(emulator, "info", { value: infoHere, enumerable: true, configurable: true });
  const isolated = (given: IsolatedOptions) => isolatedFrom(connection, options, given);
  Object.defineProperty(emulator, "isolated", { value: isolated, enumerable: true, configurable: true });
  const info = await infoHere();
  for (const [name, { kind, gives }] of MEMBERS) {
    if (kind === "constant") Object.defineProperty(emulator, name, { value: gives(info, remote), enumerable: true });
  }
  return remote;
}

/** Starts an isolated emulator, with a client that uses the host of this one. */
async function isolatedFrom(
  connection: Connection,
  { token, fetch, endpoint }: ConnectOptions,
  given: IsolatedOptions,
): Promise<RemoteEmulator> {
  const options = strictly(isolatedOptions, isolatedAsJson(given), "isolated()");
  const info = await connection.send(emulators.isolate, options);
  const { control, endpoint: said } = strictly(addresses, info, "POST /emulators: the answer");
  const own = endpoint === undefined ? {} : { endpoint: byHost(said, endpoint) };
  // It may have ended before, by its label or with the emulator that started it.
  const close = () => connection.send(emulators.endIsolated, { label: options.label }).then(nothing, nothing);
  return connect(byHost(control, connection.control), { token, fetch, ...own }, close);
}

const addresses = z.looseObject({ control: z.string(), endpoint: z.string() });

function byHost(address: string, other: string): string {
  const url = new URL(address);
  url.hostname = new URL(other).hostname;
  return url.href.replace(/\/$/, "");
}

function nothing(): void {}

/** Sends calls as requests; returns and throws the same as the object in the emulator's process. */
class Connection {
  constructor(
    readonly control: string,
    private readonly options: ConnectOptions,
  ) {}

  async call({ operation, takes, gives }: AnyMember, args: unknown[], emulator: FaultRemover): Promise<unknown> {
    const signal = args.find((each) => each instanceof AbortSignal);
    const answer = await this.send(operation, takes?.(...args), signal);
    if (!operation.answer) return undefined;
    const read = (operation.outline ?? operation.answer).safeParse(answer);
    if (read.success) return gives(read.data, emulator);
    throw new TypeError(
      `${this.request(operation)}: the answer has an unknown form. Check that this is the control API of an emulator of the same version.`,
    );
  }

  async send<Input>(operation: Operation<Input>, input: unknown, signal?: AbortSignal): Promise<unknown> {
    const { token, fetch = globalThis.fetch } = this.options;
    const withBody = hasBody(operation);
    const path = withBody ? operation.path : address(operation.path, { ...(input as Texts) });
    const request = {
      method: operation.method,
      redirect: "error",
      signal: AbortSignal.any([...(signal ? [signal] : []), AbortSignal.timeout(CONTROL_DEADLINE_MS)]),
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(withBody && { "content-type": "application/json" }),
      },
      ...(withBody && { body: JSON.stringify(isGenerator(input) ? [...input] : input) }),
    } as const;
    const { response, text } = await fetch(this.control + path, request)
      .then(async (response) => ({ response, text: await textOf(response) }))
      .catch((error: unknown) => {
        const why = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
        throw new Error(
          `${this.request(operation)}: no answer (${why}). Check that the emulator is running and that this is its control address.`,
        );
      });
    if (response.ok) return jsonIn(text);
    throw this.failure(operation, response.status, reason(text));
  }

  private failure(operation: Operation, status: number, why: string): Error {
    if (status === 400) return new TypeError(why);
    if (status === 404) return new UnknownResource(why);
    if (status === 412) return new ExpectationError(why);
    const hint = status === 401 ? " Give it as `token`; the ready line of the emulator has it." : "";
    return new Error(`${this.request(operation)}: HTTP ${status}, ${why}.${hint}`);
  }

  private request({ method, path }: Operation): string {
    return `${method} ${path} of the emulator at ${this.control}`;
  }
}

/** The body, within its limit. */
async function textOf({ body }: Response): Promise<string> {
  return body === null ? "" : (await wholeBody(body, CONTROL_ANSWER_BYTES)).toString("utf8");
}

type Texts = Readonly<Record<string, string | number | undefined>>;

const isGenerator = (input: unknown): input is Iterable<unknown> =>
  typeof input === "object" && input !== null && Symbol.iterator in input;

function origin(control: string): string {
  if (typeof control === "string" && URL.canParse(control) && /^https?:/.test(control)) return new URL(control).origin;
  throw new TypeError(
    `connectEmulator(): ${JSON.stringify(control)} is not the address of a control API: write for example "http://127.0.0.1:41235".`,
  );
}

function addressOf(option: string, given: string): string {
  if (typeof given === "string" && URL.canParse(given) && /^https?:/.test(given)) return given.replace(/\/$/, "");
  throw new TypeError(
    `connectEmulator(): ${option}: ${JSON.stringify(given)} is not an address such as "http://127.0.0.1:8080".`,
  );
}

/** The path with the input filled in; members that are not parameters of the path become the query. */
function address(path: string, input: Texts): string {
  const inPath = pathParameters(path);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])));
  const query = Object.entries(input).flatMap(([name, value]) =>
    value === undefined || inPath.includes(name) ? [] : [[name, String(value)] as const],
  );
  return query.length === 0 ? filled : `${filled}?${new URLSearchParams(Object.fromEntries(query))}`;
}

function reason(text: string): string {
  return z.object({ error: z.string() }).safeParse(jsonIn(text)).data?.error ?? text;
}
