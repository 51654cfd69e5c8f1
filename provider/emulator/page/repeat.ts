import { request as overHttp, type RequestOptions } from "node:http";
import { request as overHttps } from "node:https";
import type { Dialect } from "../behaviour/dialect";
import { PAGE } from "../defaults";
import { asHeader, BadRequest } from "../http/request";
import type { JournalEntry } from "../journal/entry";
import { isBeginning } from "../journal/journal";
import { authorization } from "../node/node-api";
import type { Simulation } from "../simulation";
import { markWord } from "../validation/mark-type";

/** A request of the journal as it can be sent once more. Secrets are left open: the journal has none. */
interface Repeatable {
  readonly method: string;
  /** Path; the secret of a signaling client is between its two parts. */
  readonly path: readonly [string, string?];
  readonly headers: Readonly<Record<string, string>>;
  readonly isAuthorized: boolean;
  readonly body?: string;
}

/** Headers that decide how a request is answered. A label is left out: a test counts the requests of its run. */
const REPEATED = ["accept", "content-type", "user-arena"];

/** Ways to repeat a request of the journal, each with the reason where it is not possible. */
export function describeRepeat(simulation: Simulation, entry: JournalEntry) {
  const { addresses, sources } = simulation;
  const made = repeatable(entry, simulation.dialect);
  if (typeof made === "string") return { noCurl: made, noSend: made };
  const behind = { node: sources.proxy, signaling: sources.proxySignaling }[entry.api as string];
  const curl = curlOf(made, addresses.endpoint, simulation.options.tls);
  return {
    ...(curl.length > PAGE.commandCharacters ? { noCurl: "The request is too long for a command line." } : { curl }),
    ...(behind !== undefined && { noSend: `The emulator does not keep the credentials for ${behind}.` }),
    ...(isRebuilt(entry, made) && { rebuilt: true }),
  };
}

/**
 * Sends a request of the journal once more to the protocol port, over the network as a client does. The emulator fills in the secrets that
 * it knows. It does not wait for the answer, which a fault may withhold.
 *
 * @throws {BadRequest} when the request cannot be repeated, or not be sent.
 */
export function sendAgain(simulation: Simulation, entry: JournalEntry): Promise<void> {
  const { noSend } = describeRepeat(simulation, entry);
  const made = repeatable(entry, simulation.dialect);
  if (noSend !== undefined || typeof made === "string") return Promise.reject(new BadRequest(noSend ?? String(made)));
  const { auth } = simulation.options;
  const { method, headers, isAuthorized, body } = made;
  const options: RequestOptions = {
    method,
    headers: {
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, asHeader(value)])),
      "user-agent": "emulator-page",
      ...(isAuthorized && auth && { authorization: asHeader(authorization(auth)) }),
    },
    agent: false,
  };
  const { tls } = simulation.addresses;
  const url = simulation.origin + made.path.join(secretOf(simulation, entry));
  return new Promise((resolve, reject) => {
    const failed = (error: Error) => reject(new BadRequest(`the request could not be sent: ${error.message}`));
    // Its own port: there is no other server to mistake it for.
    const sent = url.startsWith("https:")
      ? overHttps(url, { ...options, cert: tls?.cert, key: tls?.key, rejectUnauthorized: false })
      : overHttp(url, options);
    sent.on("error", failed).on("finish", resolve);
    sent.on("response", (response) => response.on("error", () => {}).resume());
    // With a text as body, Node.js would write the headers as UTF-8 once more.
    sent.end(body && Buffer.from(body));
  });
}

/** The request as far as the journal holds it; a sentence where that is not enough. */
function repeatable(entry: JournalEntry, dialect: Dialect): Repeatable | string {
  const { api, method, client, op, headers } = entry;
  const base = { signaling: "path", test: "request" }[api as string];
  const isSignaling = base !== undefined && client !== undefined && op !== undefined;
  if (api !== "node" && !isSignaling) return "The journal does not keep the path of this request.";
  const body = bodyOf(entry, dialect);
  if (body === undefined && hasBody(entry)) return "The journal does not keep the body of this request.";
  return {
    method,
    path: isSignaling ? [`/${base}/${encodeURIComponent(client)}/`, `/${op}`] : ["/fapi"],
    headers: Object.fromEntries(REPEATED.flatMap((name) => (headers[name] ? [[name, headers[name]]] : []))),
    isAuthorized: headers.authorization !== undefined,
    ...(body !== undefined && { body }),
  };
}

function bodyOf({ op, cmd, rawUrl, type, data }: JournalEntry, { markTypes }: Dialect): string | undefined {
  if ([rawUrl, ...(data ?? [])].some(isBeginning)) return undefined;
  if (cmd !== undefined && rawUrl !== undefined)
    return JSON.stringify({ url: rawUrl, cmd, type: type && markWord(markTypes, type), data });
  return op !== undefined && data !== undefined ? JSON.stringify({ IP_prefix: data }) : undefined;
}

const hasBody = ({ headers }: JournalEntry) =>
  Number(headers["content-length"] ?? 0) > 0 || headers["transfer-encoding"] !== undefined;

/** Whether the body differs in length from the one that came: blanks, or members that the emulator does not know. */
function isRebuilt({ headers }: JournalEntry, { body = "" }: Repeatable): boolean {
  const came = headers["content-length"];
  return came !== undefined && Number(came) !== Buffer.byteLength(body);
}

function secretOf({ contents }: Simulation, { api, client = "" }: JournalEntry): string {
  const { clients } = api === "test" ? contents.testSignaling : contents.signaling;
  // Of an unknown client any secret is wrong, as it was.
  return encodeURIComponent(clients.get(client)?.state.secretKey ?? "unknown");
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** A command for a POSIX shell. It takes secrets from the environment, and ends with the name of one that is missing. */
function curlOf({ method, path, headers, isAuthorized, body }: Repeatable, endpoint: string, tls: unknown): string {
  const [before, after] = path;
  const secret = after === undefined ? "" : `"\${PACKETFILTER_SECRET_KEY:?}"${quoted(after)}`;
  return [
    `curl --globoff --request ${quoted(method)} ${quoted(endpoint + before)}${secret}`,
    ...Object.entries(headers).map(([name, value]) => `--header ${quoted(`${name}: ${value}`)}`),
    ...(isAuthorized ? [`--header "authorization: \${EMULATOR_AUTHORIZATION:?}"`] : []),
    ...(tls === false ? [] : [`--cacert "\${EMULATOR_CA:?}"`]),
    ...(isMutual(tls) ? [`--cert "\${EMULATOR_CERT:?}" --key "\${EMULATOR_KEY:?}"`] : []),
    ...(body === undefined ? [] : [`--data-raw ${quoted(body)}`]),
  ].join(" \\\n  ");
}

const isMutual = (tls: unknown) => tls === "mutual" || (typeof tls === "object" && tls !== null && "ca" in tls);
