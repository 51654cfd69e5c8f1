import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** A certificate and its key, as PEM. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority made for one test run, so that no key has to lie in the repository. */
export class TestAuthority {
  private readonly keys = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  readonly cert = pem("CERTIFICATE", this.certify("test authority", this.keys.publicKey, { authority: true }));

  /** A certificate for a server of that name, or a client of that name. */
  issue(name: string): Identity {
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
    return {
      cert: pem("CERTIFICATE", this.certify(name, publicKey, { authority: false })),
      key: createPrivateKey(privateKey.export({ type: "pkcs8", format: "pem" }))
        .export({ type: "pkcs8", format: "pem" })
        .toString(),
    };
  }

  /** X.509 version 3 (RFC 5280, section 4.1), with no more in it than TLS needs. */
  private certify(subject: string, key: KeyObject, { authority }: { authority: boolean }): Buffer {
    const basicConstraints = sequence(oid(0x55, 0x1d, 0x13), octets(sequence(...(authority ? [TRUE] : []))));
    const alternativeName = sequence(oid(0x55, 0x1d, 0x11), octets(sequence(der(0x82, Buffer.from(subject)))));
    const content = sequence(
      der(0xa0, integer(2)),
      integer(1 + (Buffer.from(subject).length % 100)),
      ECDSA_SHA256,
      nameOf("test authority"),
      sequence(time("260101000000Z"), time("491231235959Z")),
      nameOf(subject),
      key.export({ type: "spki", format: "der" }),
      der(0xa3, sequence(basicConstraints, ...(authority ? [] : [alternativeName]))),
    );
    const signature = sign("sha256", content, this.keys.privateKey);
    return sequence(content, ECDSA_SHA256, der(0x03, Buffer.concat([Buffer.of(0), signature])));
  }
}

function der(tag: number, content: Buffer): Buffer {
  const size = content.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255];
  return Buffer.concat([Buffer.of(tag, ...length), content]);
}

const sequence = (...parts: Buffer[]) => der(0x30, Buffer.concat(parts));
const integer = (value: number) => der(0x02, Buffer.of(value));
const octets = (content: Buffer) => der(0x04, content);
const oid = (...bytes: number[]) => der(0x06, Buffer.of(...bytes));
const time = (text: string) => der(0x17, Buffer.from(text));
const nameOf = (text: string) => sequence(der(0x31, sequence(oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from(text)))));
const TRUE = der(0x01, Buffer.of(0xff));
const ECDSA_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));

function pem(label: string, content: Buffer): string {
  const lines = content.toString("base64").match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}
