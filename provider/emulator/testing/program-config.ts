import { z } from "zod";
import { jsonIn } from "../../model/readable";
import type { ClientTls } from "../http/certificates";
import type { ClientCredentials } from "../info";

/** A value of a stack's configuration. */
export type ConfigInput = string | number | boolean | object;

/** Addresses and clients of a local or remote emulator, for a program. */
export interface ProgramTarget {
  /** Base address of the node API. */
  readonly endpoint: string;
  /** Base address of the signaling API. */
  readonly signalingUrl: string;
  /** Clients of the signaling API. */
  readonly clients: ProgramClients | Promise<ProgramClients>;
  /** With https: certificates of the emulator and of its clients. */
  readonly tls?: ClientTls | undefined;
}

type ProgramClients = readonly Pick<ClientCredentials, "clientId" | "secretKey">[];

/** Address and credentials that replace those of every node and receiver of a program. */
interface Target {
  readonly endpoint: string;
  readonly signalingUrl: string;
  readonly clientId: string;
  readonly secretKey: string;
  readonly tls?: ClientTls | undefined;
}

type Values = Readonly<Record<string, unknown>>;
type ConfigMap = Record<string, { value: string; secret?: boolean }>;

const OWN = "packetfilter:";
/** Keys and members for address and credentials of a node or receiver, which the emulator's replace. */
const PLACE = ["endpoint", "signalingUrl", "url", "clientId", "secretKey", "headers", "tls"];
const isObject = (value: unknown): value is Values => typeof value === "object" && value !== null;
const given = z.strictObject({ value: z.string(), secret: z.boolean().optional() });

/**
 * The configuration of a program under test. Given values precede the emulator's addresses, and these the settings.
 *
 * @param settings `config` of the project's and of the stack's file.
 * @throws {TypeError} for secrets of the settings, which only the real stack's key decrypts.
 */
export function programConfig(
  target: Target,
  settings: { readonly project: unknown; readonly stack: unknown },
  config: Values,
  stack: string,
): ConfigMap {
  const [project, written] = [settings.project, settings.stack].map((each) => (isObject(each) ? each : {})) as [
    Values,
    Values,
  ];
  const known: Values = { ...Object.fromEntries(Object.entries(project).map(plainOfProject)), ...written };
  const values = { ...asTexts(withoutPlaces(known, written)), ...emulated(target, known), ...asTexts(config) };
  const locked = Object.keys(values).filter((key) => !(key in config) && hasSecret(jsonIn(values[key]?.value ?? "")));
  if (locked.length === 0) return values;
  throw new TypeError(
    `runProgram(): Pulumi.${stack}.yaml has secrets that only the key of the real stack decrypts (${locked.join(", ")}): give test values for them in \`config\`.`,
  );
}

/** Reads a setting of a project: a value, or an object with `value` or `default`. */
function plainOfProject([key, said]: [string, unknown]): [string, unknown] {
  if (!isObject(said)) return [key, said];
  return [key, "value" in said ? said.value : "default" in said ? said.default : said];
}

/** Settings of the stack, without addresses and credentials of nodes and receivers. Those of the project apply anyway. */
function withoutPlaces(known: Values, written: Values): Values {
  const kept = Object.entries(written).filter(([key]) => !PLACE.some((name) => key === OWN + name));
  const parts = ["node", "receiver"].filter((name) => isObject(structured(known[OWN + name])));
  return {
    ...Object.fromEntries(kept),
    ...Object.fromEntries(parts.map((name) => [OWN + name, unplaced(known[OWN + name])])),
  };
}

/** The emulator as the unnamed node and receiver, and as each named one. */
function emulated({ endpoint, signalingUrl: url, clientId, secretKey, tls }: Target, known: Values): ConfigMap {
  const trust = tls && { tls: { ca: tls.ca, cert: tls.cert, key: tls.key } };
  const named = (key: string, place: object) => {
    const members = structured(known[OWN + key]);
    if (!isObject(members)) return {};
    const all = Object.entries(members).map(([name, each]) => [name, { ...unplaced(each), ...place, ...trust }]);
    return {
      [OWN + key]: { value: JSON.stringify(Object.fromEntries(all)), secret: key === "receivers" || tls !== undefined },
    };
  };
  return {
    [`${OWN}endpoint`]: { value: endpoint },
    [`${OWN}signalingUrl`]: { value: url },
    [`${OWN}clientId`]: { value: clientId },
    [`${OWN}secretKey`]: { value: secretKey, secret: true },
    // A setting of the project cannot be removed, only overridden.
    ...(known[`${OWN}headers`] !== undefined && { [`${OWN}headers`]: { value: "{}" } }),
    ...(trust && { [`${OWN}tls`]: { value: JSON.stringify(trust.tls), secret: true } }),
    ...named("nodes", { endpoint }),
    ...named("receivers", { url, clientId, secretKey }),
  };
}

/** Members of a node or receiver without address and credentials. */
function unplaced(members: unknown): object {
  const object = structured(members);
  return Object.fromEntries(Object.entries(isObject(object) ? object : {}).filter(([name]) => !PLACE.includes(name)));
}

const structured = (value: unknown): unknown => (typeof value === "string" ? (jsonIn(value) ?? value) : value);

function asTexts(values: Values): ConfigMap {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      const read = given.safeParse(value);
      if (read.success) return [key, read.data];
      return [key, { value: typeof value === "string" ? value : JSON.stringify(value) }];
    }),
  );
}

/** True if a setting has `secure: …`, at any depth. */
function hasSecret(value: unknown): boolean {
  if (!isObject(value)) return false;
  return "secure" in value || Object.values(value).some(hasSecret);
}
