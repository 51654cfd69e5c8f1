// @ts-check
import { once } from "node:events";
import { createServer } from "node:http";

/** Beginning of an encrypted key, as with the real service. */
const MARK = "vault:v1:";

/**
 * A key service as the engine knows it from HashiCorp Vault, which hides nothing: a key is encrypted by a word before it. The stacks of tests keep their
 * secrets with it, since a passphrase is made a key by a million rounds, 0.2 s of a core in every command of the engine.
 *
 * @returns {Promise<{ url: string, close(): void }>}
 */
export async function startKeyService() {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const { plaintext, ciphertext } = JSON.parse(body);
    const data =
      ciphertext === undefined ? { ciphertext: MARK + plaintext } : { plaintext: ciphertext.slice(MARK.length) };
    response.setHeader("content-type", "application/json").end(JSON.stringify({ data }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
