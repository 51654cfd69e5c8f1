import { createDecipheriv, pbkdf2 } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import type { JsonObject } from "../model/json";
import type { CliIo } from "./cli-io";
import { namedFile } from "./failure";

/** Decrypts a value of a stack's file; `undefined` if it cannot be read here. */
export type Decrypt = (secure: string) => string | undefined;

/** Pulumi's passphrase provider (`sdk/go/common/resource/config/crypt.go`): PBKDF2 with SHA-256, then AES-256-GCM. */
const ITERATIONS = 1_000_000;
const KEY_BYTES = 32;
const TAG_BYTES = 16;
/** Text that Pulumi encrypts beside the salt, to recognise a wrong passphrase. */
const PROBE = "pulumi";

/**
 * Reads the secrets of a stack by `PULUMI_CONFIG_PASSPHRASE` or `PULUMI_CONFIG_PASSPHRASE_FILE`. Without a passphrase, with a
 * wrong one or with another provider of secrets it reads nothing.
 *
 * @param salt `encryptionsalt` of the stack's file.
 * @param config Settings of the file. The slow derivation of the key is skipped if no value is secret.
 */
export async function decrypter(salt: unknown, config: JsonObject, { env }: CliIo): Promise<Decrypt> {
  const none: Decrypt = () => undefined;
  const [version, encoded, ...probe] = typeof salt === "string" ? salt.split(":") : [];
  if (version !== "v1" || encoded === undefined || !JSON.stringify(config).includes('"secure":')) return none;
  const passphrase = await passphraseOf(env);
  if (passphrase === undefined) return none;
  const key = await promisify(pbkdf2)(passphrase, Buffer.from(encoded, "base64"), ITERATIONS, KEY_BYTES, "sha256");
  return decrypted(probe.join(":"), key) === PROBE ? (secure) => decrypted(secure, key) : none;
}

async function passphraseOf(env: CliIo["env"]): Promise<string | undefined> {
  if (env.PULUMI_CONFIG_PASSPHRASE !== undefined) return env.PULUMI_CONFIG_PASSPHRASE;
  const file = env.PULUMI_CONFIG_PASSPHRASE_FILE;
  return file ? (await namedFile(file, () => readFile(file, "utf8"))).trim() : undefined;
}

/** `v1:<nonce>:<ciphertext and tag>`, both in base 64. */
function decrypted(secure: string, key: Buffer): string | undefined {
  const [version, nonce, text] = secure.split(":");
  if (version !== "v1" || nonce === undefined || text === undefined) return undefined;
  const bytes = Buffer.from(text, "base64");
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(nonce, "base64"));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}
