import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { defineConfig } from "vitepress";

// The site of the documentation, made of the Markdown that the package has: "npm run docs". A link to no page fails the build.
const root = process.env.DOCS_ROOT ?? resolve(import.meta.dirname, "../../..");
const { version, repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const source = repository.url.replace(/^git\+|\.git$/g, "");
const base = process.env.DOCS_BASE ?? "/";
const TITLE = /^# (.+)$/m;

/** What becomes a page, by its place in the repository; everything else is linked to in the repository. */
const isPage = (file: string) =>
  /^(docs\/(?!api\/).+|policies\/README|examples\/[^/]+\/README|README|CHANGELOG|CONTRIBUTING|SECURITY)\.md$/.test(
    file,
  );

/** The address of a page: those of docs/ stand at the root. */
const placeOf = (file: string) =>
  file === "README.md" ? "index.md" : file.replace(/^docs\//, "").replace(/README\.md$/, "index.md");

const anchorOf = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .trim()
    .replaceAll(" ", "-");

/**
 * Where a link of a page leads on the site: to the page, or into the repository to what is none.
 *
 * @throws {Error} for a file that does not exist
 */
function linkOf(href: string, page: string): string {
  if (/^(\w+:|#)/.test(href)) return href;
  const [path = "", anchor] = href.split("#");
  const file = relative(root, resolve(dirname(page), decodeURI(path)));
  const behind = anchor === undefined ? "" : `#${anchor}`;
  if (!existsSync(join(root, file))) throw new Error(`${relative(root, page)} links to ${href}, which does not exist.`);
  return isPage(file) ? `/${placeOf(file)}${behind}` : `${source}/-/blob/main/${file}${behind}`;
}

/** Pages of a folder of docs/ for the bar at the side, in the order of its README where that has one. */
function pagesIn(folder: string): { text: string; link: string }[] {
  const path = join(root, "docs", folder);
  const names = readdirSync(path).filter((name) => name.endsWith(".md") && name !== "README.md");
  const index = existsSync(join(path, "README.md")) ? readFileSync(join(path, "README.md"), "utf8") : "";
  const order = (name: string) => (index.indexOf(`(${name})`) + 1 || Number.POSITIVE_INFINITY) as number;
  return names
    .toSorted((one, other) => order(one) - order(other) || one.localeCompare(other))
    .map((name) => {
      const [, text = name] = TITLE.exec(readFileSync(join(path, name), "utf8")) ?? [];
      return { text, link: `/${join(folder, name.replace(/\.md$/, ""))}` };
    });
}

/** This checkout and the versions that are built beside it. */
const home = process.env.DOCS_HOME ?? "/";
const versions = ["latest", ...(process.env.DOCS_VERSIONS ?? "").split(" ").filter((name) => name !== "")].map(
  (text) => ({ text, link: `${home}${text === "latest" ? "" : `${text}/`}`, target: "_self" }),
);

export default defineConfig({
  title: "pulumi-packetfilter",
  description: "Prefix-sets and cloud signalings of packet-filter nodes in a Pulumi program",
  lang: "en",
  base,
  srcDir: root,
  srcExclude: [
    "**/node_modules/**",
    "dist/**",
    "docs/api/**",
    "test/**",
    "tools/**",
    "examples/**/!(README).md",
    ".github/**",
  ],
  outDir: process.env.DOCS_OUT ?? join(root, ".site"),
  cacheDir: join(import.meta.dirname, "../../..", "node_modules/.cache/vitepress"),
  rewrites: (page) => placeOf(page),
  cleanUrls: false,
  markdown: {
    // The anchors that links in Markdown name, as `pulumi-packetfilter docs` has them.
    anchor: { slugify: anchorOf },
    config(md) {
      md.core.ruler.push("places", ({ tokens, env }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? []))
          if (token.type === "link_open")
            token.attrSet("href", linkOf(String(token.attrGet("href")), env.realPath ?? env.path));
      });
    },
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Guides", link: "/guides/" },
      { text: "Reference", link: "/reference/" },
      { text: `v${version}`, items: versions },
    ],
    sidebar: [
      { text: "Guides", items: pagesIn("guides") },
      { text: "Parts", items: [...pagesIn(""), { text: "Policies", link: "/policies/" }] },
      { text: "Reference", collapsed: true, items: pagesIn("reference") },
      {
        text: "Contributors",
        collapsed: true,
        items: [
          { text: "Contributing", link: "/CONTRIBUTING" },
          ...pagesIn("contributing"),
          ...pagesIn("contributing/decisions"),
        ],
      },
    ],
    socialLinks: [],
    footer: { message: `<a href="${source}">Source</a> · Apache-2.0` },
  },
});
