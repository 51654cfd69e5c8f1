import { createDecipheriv, pbkdf2 } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import type { JsonObject } from "../model/json";
import type { CliIo } from "./cli-io";

/** Reads a secret value of a stack's file; `undefined` where it cannot be read here. */
export type Decrypt = (secure: string) => string | undefined;

/** Pulumi's passphrase provider (`sdk/go/common/resource/config/crypt.go`): PBKDF2 with SHA-256, then AES-256-GCM. */
const ITERATIONS = 1_000_000;
const KEY_BYTES = 32;
const TAG_BYTES = 16;
/** Text that Pulumi encrypts beside the salt, to tell a wrong passphrase. */
const PROBE = "pulumi";

/**
 * Reads the secrets of a stack whose provider is a passphrase, by `PULUMI_CONFIG_PASSPHRASE` or the file that
 * `PULUMI_CONFIG_PASSPHRASE_FILE` names. Without either, with a wrong one or with another provider it reads nothing.
 *
 * @param salt `encryptionsalt` of the stack's file.
 * @param config Settings of the file: the key is made only where a value is secret, since that takes a good part of a second, by design.
 */
export async function decrypter(salt: unknown, config: JsonObject, { env }: CliIo): Promise<Decrypt> {
  const none: Decrypt = () => undefined;
  const [version, encoded, ...probe] = typeof salt === "string" ? salt.split(":") : [];
  if (version !== "v1" || encoded === undefined || !JSON.stringify(config).includes('"secure":')) return none;
  const passphrase = await passphraseOf(env);
  if (passphrase === undefined) return none;
  // Beside the keys of other stacks.
  const key = await promisify(pbkdf2)(passphrase, Buffer.from(encoded, "base64"), ITERATIONS, KEY_BYTES, "sha256");
  return decrypted(probe.join(":"), key) === PROBE ? (secure) => decrypted(secure, key) : none;
}

async function passphraseOf(env: CliIo["env"]): Promise<string | undefined> {
  if (env.PULUMI_CONFIG_PASSPHRASE !== undefined) return env.PULUMI_CONFIG_PASSPHRASE;
  const file = env.PULUMI_CONFIG_PASSPHRASE_FILE;
  return file ? (await readFile(file, "utf8")).trim() : undefined;
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
