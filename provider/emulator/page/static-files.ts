import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { packageRoot } from "../../files/package-version";
import { type Reply, text } from "../http/reply";

/** Files of the page, as the build puts them into `dist/page`. Nothing else is served, whatever a path says. */
const FILES: Readonly<Record<string, { readonly name: string; readonly type: string }>> = {
  "/": { name: "index.html", type: "text/html; charset=utf-8" },
  "/page/app.js": { name: "app.js", type: "text/javascript; charset=utf-8" },
  "/page/app.css": { name: "app.css", type: "text/css; charset=utf-8" },
  "/page/icon.svg": { name: "icon.svg", type: "image/svg+xml" },
  "/page/licenses.txt": { name: "licenses.txt", type: "text/plain; charset=utf-8" },
};

/** Own files and own requests only: no inline script or style, no frame around it, nothing from elsewhere. */
const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  // The next version on the same port is another page.
  "cache-control": "no-cache",
};

const folder = join(packageRoot, "dist", "page");
const kept = new Map<string, Buffer>();

/**
 * A file of the page; `undefined` when it has no such file. It holds nothing of the node: it asks the control API for that, with
 * the token where there is one.
 */
export async function pageFile(method: string | undefined, target = ""): Promise<Reply | undefined> {
  const pathname = target.split("?", 1)[0] ?? "";
  const file = Object.hasOwn(FILES, pathname) && (method === "GET" || method === "HEAD") ? FILES[pathname] : undefined;
  if (!file) return undefined;
  try {
    const body = kept.get(file.name) ?? (await readFile(join(folder, file.name)));
    kept.set(file.name, body);
    return { status: 200, type: file.type, body, headers: HEADERS };
  } catch {
    return text(503, "The page is not built: run npm run build.\n");
  }
}
