import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { packageRoot } from "../../files/package-version";
import { type Reply, text } from "../http/reply";

const page = (name: string, type: string) => ({ file: join("dist", "page", name), type });
const guide = (name: string) => ({ file: join("docs", name), type: "text/plain; charset=utf-8" });

/** Files of the page as the build makes them, and pages of the documentation. Nothing else is served, whatever a path says. */
const FILES: Readonly<Record<string, { readonly file: string; readonly type: string }>> = {
  "/": page("index.html", "text/html; charset=utf-8"),
  "/page/app.js": page("app.js", "text/javascript; charset=utf-8"),
  "/page/app.css": page("app.css", "text/css; charset=utf-8"),
  "/page/icon.svg": page("icon.svg", "image/svg+xml"),
  "/page/licenses.txt": page("licenses.txt", "text/plain; charset=utf-8"),
  "/page/docs/emulator.md": guide("emulator.md"),
  "/page/docs/reference/emulator.md": guide("reference/emulator.md"),
  "/page/docs/guides/test-your-program.md": guide("guides/test-your-program.md"),
  "/page/docs/contributing/contract.md": guide("contributing/contract.md"),
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
    const body = kept.get(file.file) ?? (await readFile(join(packageRoot, file.file)));
    kept.set(file.file, body);
    return { status: 200, type: file.type, body, headers: HEADERS };
  } catch {
    return text(503, "The page is not built: run npm run build.\n");
  }
}
