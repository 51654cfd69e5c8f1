import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { Prefix } from "../../model/prefix";
import { CERTIFICATE_DAYS } from "../defaults";
import type { ListenOptions } from "./http-server";

/** A certificate and its key, in PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const DAY = 86_400_000;

/**
 * An authority for tests on one machine (P-256, X.509 v3, RFC 5280). Its key is kept in memory only, and nothing is renewed.
 *
 * Written by hand in a hundred lines of DER (ITU-T X.690): libraries for P-256 certificates bring some twenty packages and
 * a polyfill of a global, and Node only reads certificates.
 */
export class CertificateAuthority {
  /** The certificate for clients and servers to trust, in PEM. */
  readonly cert: string;
  private readonly keys = newKeys();

  /** @param now The real time in milliseconds. Certificates are valid from a day before it, for a year. */
  constructor(
    private readonly name: string,
    private readonly now: number,
  ) {
    // Key usage: signing of certificates and revocation lists.
    const keyUsage = extension("2.5.29.15", bits(Buffer.from([0x06]), 1), true);
    this.cert = this.certify(name, this.keys.publicKey, [basicConstraints(true), keyUsage]);
  }

  /** A certificate for a server with these names and addresses. */
  issueServer(name: string, hosts: readonly string[] = [name]): Certificate {
    return this.issue(name, [basicConstraints(false), purpose(1), alternativeNames(hosts)]);
  }

  issueClient(name: string): Certificate {
    return this.issue(name, [basicConstraints(false), purpose(2)]);
  }

  private issue(name: string, extensions: readonly Buffer[]): Certificate {
    const { publicKey, privateKey } = newKeys();
    const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    return { cert: this.certify(name, publicKey, extensions), key };
  }

  private certify(subject: string, publicKey: KeyObject, extensions: readonly Buffer[]): string {
    const algorithm = sequence(ECDSA_WITH_SHA256);
    const body = sequence(
      tlv(0xa0, integer(Buffer.from([2]))),
      integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
      algorithm,
      commonName(this.name),
      sequence(time(this.now - CERTIFICATE_DAYS.before * DAY), time(this.now + CERTIFICATE_DAYS.after * DAY)),
      commonName(subject),
      spki(publicKey),
      tlv(
        0xa3,
        sequence(
          ...extensions,
          extension("2.5.29.14", tlv(0x04, keyId(publicKey))),
          extension("2.5.29.35", sequence(tlv(0x80, keyId(this.keys.publicKey)))),
        ),
      ),
    );
    const signature = bits(sign("sha256", body, this.keys.privateKey));
    return new X509Certificate(sequence(body, algorithm, signature)).toString();
  }
}

const newKeys = () => generateKeyPairSync("ec", { namedCurve: "P-256" });

function tlv(tag: number, ...content: Buffer[]): Buffer {
  const value = Buffer.concat(content);
  const long = value.length > 0xff ? [0x82, value.length >> 8, value.length & 0xff] : [0x81, value.length];
  return Buffer.concat([Buffer.from([tag, ...(value.length < 0x80 ? [value.length] : long)]), value]);
}

const sequence = (...content: Buffer[]) => tlv(0x30, ...content);
const integer = (value: Buffer) => tlv(0x02, value);
const bits = (value: Buffer, unused = 0) => tlv(0x03, Buffer.from([unused]), value);
const TRUE = tlv(0x01, Buffer.from([0xff]));
const text = (tag: number, value: string) => tlv(tag, Buffer.from(value));

/** An object identifier whose arcs are below 128, one byte each. */
function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return tlv(0x06, Buffer.from([first * 40 + second, ...rest]));
}

/** 1.2.840.10045.4.3.2, ecdsa-with-SHA256. */
const ECDSA_WITH_SHA256 = tlv(0x06, Buffer.from("2a8648ce3d040302", "hex"));

/** UTCTime with two digits of the year until 2049, GeneralizedTime with four from 2050 on (RFC 5280, section 4.1.2.5). */
function time(ms: number): Buffer {
  const date = new Date(ms);
  const digits = date.toISOString().replace(/[-:T]/g, "").slice(0, 14);
  return date.getUTCFullYear() < 2050 ? text(0x17, `${digits.slice(2)}Z`) : text(0x18, `${digits}Z`);
}

const commonName = (name: string) => sequence(tlv(0x31, sequence(oid("2.5.4.3"), text(0x0c, name))));

function extension(id: string, value: Buffer, critical = false): Buffer {
  return sequence(oid(id), ...(critical ? [TRUE] : []), tlv(0x04, value));
}

function basicConstraints(authority: boolean): Buffer {
  return extension("2.5.29.19", sequence(...(authority ? [TRUE] : [])), true);
}

/** Extended key usage: 1 for a TLS server, 2 for a client. */
function purpose(of: 1 | 2): Buffer {
  return extension("2.5.29.37", sequence(oid(`1.3.6.1.5.5.7.3.${of}`)));
}

function alternativeNames(hosts: readonly string[]): Buffer {
  const names = hosts.map((host) => (isIP(host) ? tlv(0x87, addressBytes(host)) : text(0x82, host)));
  return extension("2.5.29.17", sequence(...names));
}

function addressBytes(address: string): Buffer {
  const { bits, family } = Prefix.parse(address);
  return Buffer.from(bits.toString(16).padStart(family === 4 ? 8 : 32, "0"), "hex");
}

const spki = (key: KeyObject) => key.export({ type: "spki", format: "der" });

/** The point of a P-256 key, the last 65 bytes of its SubjectPublicKeyInfo. */
function keyId(key: KeyObject): Buffer {
  return createHash("sha1").update(spki(key).subarray(-65)).digest();
}

/** Given certificates of a server, in PEM. */
interface TlsFiles {
  /** The server's certificate, with its chain. */
  readonly cert: string;
  /** The private key of `cert`. */
  readonly key: string;
  /** Authority of clients; if given, a client needs a certificate signed by it. */
  readonly ca?: string;
}

/** Choice of http, https with a certificate made for this run, also with client certificates, or given certificates. */
export type TlsChoice = boolean | "mutual" | TlsFiles;

/** Certificates and key for a client of an emulator with certificates made for its run, in PEM. */
export interface ClientTls {
  /** Certificate of the authority to trust. */
  readonly ca: string;
  /** The client's own certificate, for `"mutual"`. */
  readonly cert: string;
  /** The private key of `cert`. */
  readonly key: string;
}

/** The https options of the protocol port, and the certificates for clients; `undefined` for http. */
export function serverTls(
  { tls, host }: { readonly tls: TlsChoice; readonly host: string },
  now: number,
): { server: NonNullable<ListenOptions["tls"]>; client?: ClientTls } | undefined {
  if (tls === false) return undefined;
  if (typeof tls === "object") {
    const { cert, key, ca } = tls;
    return { server: { cert, key, ...(ca && { ca, requestCert: true, rejectUnauthorized: true }) } };
  }
  // Clients check certificates by the real time, not by the virtual clock.
  const authority = new CertificateAuthority("pulumi-packetfilter emulator authority", now);
  const ca = authority.cert;
  const server = authority.issueServer("emulator.test", [...new Set([host, "localhost", "127.0.0.1", "::1"])]);
  const clientAuth = tls === "mutual" && { ca, requestCert: true, rejectUnauthorized: true };
  return { server: { ...server, ...clientAuth }, client: { ca, ...authority.issueClient("client.test") } };
}
