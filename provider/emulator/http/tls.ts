import { CertificateAuthority } from "./certificates";
import type { ListenOptions } from "./http-server";

/** Own certificates of a server, in PEM. */
export interface TlsFiles {
  /** The server's certificate, with those that it was signed by. */
  readonly cert: string;
  /** The private key of `cert`. */
  readonly key: string;
  /** Clients need a certificate that this one signed. */
  readonly ca?: string;
}

/** How a server serves: http, https with a certificate made for this run, the same for clients too, or given ones. */
export type TlsChoice = boolean | "mutual" | TlsFiles;

/** What a client needs to talk to an emulator that made its own certificates: all in PEM. */
export interface ClientTls {
  /** What to trust. */
  readonly ca: string;
  /** The client's own certificate, for `"mutual"`. */
  readonly cert: string;
  /** The private key of `cert`. */
  readonly key: string;
}

/** How the protocol port serves https, and what clients need for that; `undefined` for http. */
export function serverTls(
  { tls, host }: { readonly tls: TlsChoice; readonly host: string },
  now: number,
): { server: NonNullable<ListenOptions["tls"]>; client?: ClientTls } | undefined {
  if (tls === false) return undefined;
  if (typeof tls === "object") {
    const { cert, key, ca } = tls;
    return { server: { cert, key, ...(ca && { ca, requestCert: true, rejectUnauthorized: true }) } };
  }
  // Clients check certificates by the real time, whatever the virtual clock says.
  const authority = new CertificateAuthority("pulumi-packetfilter emulator authority", now);
  const ca = authority.cert;
  const server = authority.issueServer("emulator.test", [...new Set([host, "localhost", "127.0.0.1", "::1"])]);
  const wanted = tls === "mutual" && { ca, requestCert: true, rejectUnauthorized: true };
  return { server: { ...server, ...wanted }, client: { ca, ...authority.issueClient("client.test") } };
}
