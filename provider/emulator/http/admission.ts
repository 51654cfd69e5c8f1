import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { failure } from "../node/node-replies";
import type { Core } from "../simulation";
import type { Reply } from "./reply";

/** What a caller of the node API must send along; the contract does not say what a node wants. */
export type NodeAuth =
  | { readonly bearer: string }
  | { readonly basic: { readonly user: string; readonly password: string } };

/** Where the node API is when it redirects. */
export const REDIRECTED = "/redirected/fapi";

/** Turns requests to the node API away before they are read: without credentials, or because it is somewhere else. */
export class Gate {
  constructor(
    private readonly core: Core,
    private readonly origin: () => string,
  ) {}

  /** The answer to a request that is turned away. */
  readonly check = (request: IncomingMessage): Reply | undefined =>
    this.unauthorized(request) ?? this.elsewhere(request);

  private unauthorized(request: IncomingMessage): Reply | undefined {
    const { auth } = this.core.options;
    if (!auth || sameText(request.headers.authorization ?? "", authorization(auth))) return undefined;
    const scheme = "bearer" in auth ? "Bearer" : 'Basic realm="node"';
    return { ...failure(401, "unauthorized", this.core.dialect), headers: { "www-authenticate": scheme } };
  }

  private elsewhere(request: IncomingMessage): Reply | undefined {
    const { redirect } = this.core.dialect;
    const moved = request.url === REDIRECTED;
    if (redirect === "none") return moved ? failure(404, "unknown path", this.core.dialect) : undefined;
    if (moved) return undefined;
    const origin = redirect === "307-elsewhere" ? otherName(this.origin()) : this.origin();
    return { status: Number.parseInt(redirect, 10), body: "", headers: { location: origin + REDIRECTED } };
  }
}

/** The header that a caller sends. */
function authorization(auth: NodeAuth): string {
  if ("bearer" in auth) return `Bearer ${auth.bearer}`;
  return `Basic ${Buffer.from(`${auth.basic.user}:${auth.basic.password}`).toString("base64")}`;
}

/** The same place under another name, which makes it another origin. */
function otherName(origin: string): string {
  const url = new URL(origin);
  url.hostname = url.hostname === "localhost" ? "127.0.0.1" : "localhost";
  return url.origin;
}

/** Compares without telling by its time where the difference is. */
export function sameText(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
