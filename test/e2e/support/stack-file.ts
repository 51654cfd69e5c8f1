import { createCipheriv, randomBytes } from "node:crypto";

/**
 * A stack's file as `pulumi config set-all` leaves it, without its process: all values are texts, secret ones encrypted with the stack's own key.
 *
 * @param empty the file of a new stack, whose key tools/lib/key-service.mjs "encrypted"
 */
export function configured(
  empty: string,
  config: Readonly<Record<string, unknown>>,
  secrets: Readonly<Record<string, string>>,
): string {
  const [, encryptedKey = ""] = /^encryptedkey: (\S+)$/m.exec(empty) ?? [];
  const key = Buffer.from(Buffer.from(encryptedKey, "base64").toString().split(":").at(-1) ?? "", "base64");
  const lines = [
    ...Object.entries(config).map(([name, value]) => [name, JSON.stringify(asText(value))]),
    ...Object.entries(secrets).map(([name, value]) => [name, `{ secure: ${JSON.stringify(encrypted(value, key))} }`]),
  ];
  if (lines.length === 0) return empty;
  return `${empty}config:\n${lines.map(([name = "", value]) => `  ${fullName(name)}: ${value}\n`).join("")}`;
}

/** A key without a namespace is one of the package. */
export const fullName = (name: string) => (name.includes(":") ? name : `packetfilter:${name}`);

export const asText = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

function encrypted(text: string, key: Buffer): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `v1:${nonce.toString("base64")}:${sealed.toString("base64")}`;
}
