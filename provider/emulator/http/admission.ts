import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Dialect } from "../behaviour/dialect";
import type { RefusalKind } from "../behaviour/refusal-switches";
import type { Reply } from "./reply";

/** What a caller of the node API must send along; the contract does not say what a node wants. */
export type NodeAuth =
  | { readonly bearer: string }
  | { readonly basic: { readonly user: string; readonly password: string } };

/** Where the node API is when it redirects. */
export const REDIRECTED = "/redirected/fapi";

/** What the admission needs to know. */
export interface AdmissionOptions {
  /** What callers must send; `undefined`: nothing. */
  readonly auth: NodeAuth | undefined;
  /** Whose dialect says at the moment whether the node API redirects. */
  readonly subject: { readonly dialect: Dialect };
  /** Address of the protocol port. */
  readonly origin: () => string;
  /** An error in the form of the node API. */
  readonly refuse: (why: number | RefusalKind, message: string) => Reply;
}

/** Turns requests to the node API away before they are read: without credentials, or because it is somewhere else. */
export class Admission {
  constructor(private readonly options: AdmissionOptions) {}

  /** The answer to a request that is turned away. */
  readonly check = (request: IncomingMessage): Reply | undefined =>
    this.unauthorized(request) ?? this.elsewhere(request);

  private unauthorized(request: IncomingMessage): Reply | undefined {
    const { auth, refuse } = this.options;
    if (!auth || sameText(request.headers.authorization ?? "", authorization(auth))) return undefined;
    const scheme = "bearer" in auth ? "Bearer" : 'Basic realm="node"';
    return { ...refuse("credentials", "unauthorized"), headers: { "www-authenticate": scheme } };
  }

  private elsewhere(request: IncomingMessage): Reply | undefined {
    const { refuse, origin, subject } = this.options;
    const { redirect } = subject.dialect;
    const moved = request.url === REDIRECTED;
    if (redirect === "none") return moved ? refuse(404, "unknown path") : undefined;
    if (moved) return undefined;
    const target = redirect === "307-elsewhere" ? otherName(origin()) : origin();
    return { status: Number.parseInt(redirect, 10), body: "", headers: { location: target + REDIRECTED } };
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

/** Compares two texts in a time that does not tell where they differ. */
export function sameText(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
