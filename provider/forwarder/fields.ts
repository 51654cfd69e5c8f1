import { createPrivateKey, X509Certificate } from "node:crypto";
import { z } from "zod";
import { attempt } from "../model/errors";
import { unknownMembers } from "../model/schema";

/** A text that is not empty. */
export const text = z.string({ error: "must be a text" }).min(1, { error: "must not be empty" });

/** Units behind a number, each as a multiple of the smallest. */
type Units = Readonly<Record<string, number>>;

const DURATIONS: Units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const SIZES: Units = {
  B: 1,
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};

/** A whole number, or its digits: what comes from the environment is text. A text may have a unit behind them, where there are some. */
export function whole(min: number, max: number, units: Units = {}) {
  const names = Object.keys(units);
  const number = z
    .number({ error: names.length === 0 ? "must be a number" : `must be a number, alone or with ${names.join(", ")}` })
    .int({ error: "must be a whole number" })
    .min(min, { error: `must be at least ${min}` })
    .max(max, { error: `must be at most ${max}` });
  return z.preprocess((value) => {
    const text = typeof value === "string" ? value.trim() : "";
    const [, digits, unit = ""] = /^(\d+(?:\.\d+)?) ?([A-Za-z]*)$/.exec(text) ?? [];
    const factor = unit === "" ? 1 : Object.hasOwn(units, unit) ? units[unit] : undefined;
    if (digits === undefined || factor === undefined) return value;
    const product = Number(digits) * factor;
    // 1.005 s are a little less than 1 005 ms to a machine.
    return Math.abs(product - Math.round(product)) < 1e-6 ? Math.round(product) : product;
  }, number);
}

/** Milliseconds, or a text as `5s`, `1.5h`. */
export const duration = (min: number, max: number) => whole(min, max, DURATIONS);

/** Bytes, or a text as `1GiB`, `500MB`. */
export const size = (min: number, max: number) => whole(min, max, SIZES);

/** True or false, or the text of either. */
export const flag = z.preprocess(
  (value) => (value === "true" ? true : value === "false" ? false : value),
  z.boolean({ error: "must be true or false" }),
);

/** An object that names members it does not have. */
export function members<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) => {
      const unknown = unknownMembers(issue);
      return unknown === undefined ? "must be an object" : `${unknown} (there are ${Object.keys(shape).join(", ")})`;
    },
  });
}

/** The parts of a host with its port, as `127.0.0.1:9464` or `[::1]:9464`. */
export function partsOf(address: string): { readonly host: string; readonly port: number } {
  const colon = address.lastIndexOf(":");
  return { host: address.slice(0, colon).replace(/^\[|\]$/g, ""), port: Number(address.slice(colon + 1)) };
}

/** A text of this form, which ends in a port. */
export function withPort(form: RegExp, error: string) {
  const isPort = (value: string) => partsOf(value).port <= 65_535;
  return text.regex(form, { error, abort: true }).refine(isPort, { error: "has a port above 65535" });
}

/** An http(s) url; userinfo in it means basic authentication. */
export const httpUrl = text.refine((value) => /^https?:\/\//i.test(value) && URL.canParse(value), {
  error: 'must be a url that begins with "http://" or "https://"',
});

/** One certificate or several, PEM. */
const certificate = text.refine((value) => attempt(() => new X509Certificate(value)) !== undefined, {
  error: "is not a certificate in PEM: name its file as { file: path }",
});

const privateKey = text.refine((value) => attempt(() => createPrivateKey(value)) !== undefined, {
  error: "is not a private key in PEM without a passphrase: name its file as { file: path }",
});

/** TLS settings of a connection, PEM. */
export const tls = members({
  ca: certificate.optional(),
  cert: certificate.optional(),
  key: privateKey.optional(),
  serverName: text.optional(),
}).refine(({ cert, key }) => (cert === undefined) === (key === undefined), {
  error: "`cert` and `key` belong together",
});

/** The same, or whether there is TLS at all: `undefined` without. */
export const tlsOrNot = z
  .union([flag, tls])
  .optional()
  .transform((option): Tls | undefined => (option === true ? {} : option || undefined));

/** TLS settings of a server, PEM: both are used as they come, so they fit. */
export const serverTls = members({ cert: certificate, key: privateKey }).refine(
  // An unreadable text is reported at its own member.
  ({ cert, key }) => attempt(() => new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) ?? true,
  { path: ["key"], error: "is not the key of `cert`" },
);

/** A text that a header carries after `Bearer `. */
export const bearer = text.regex(/^[\x21-\x7e]+$/, { error: "has characters that a token cannot have" });

/** As {@link tls}; the type of what it reads. */
export type Tls = z.infer<typeof tls>;

/** Message of an issue without one of its own, in place of the library's words. */
export function plainWords(issue: z.core.$ZodRawIssue): string {
  if (issue.code === "invalid_value" && Array.isArray(issue.values)) return `must be one of ${issue.values.join(", ")}`;
  if (issue.code === "invalid_type") return issue.input === undefined ? "is missing" : "has the wrong type";
  return "is not valid";
}

/** Patterns of names: `*` stands for any characters. */
export const patterns = z.array(text, { error: "must be a list of names" }).min(1, { error: "must not be empty" });
