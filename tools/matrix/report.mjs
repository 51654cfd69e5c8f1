// @ts-check
/** docs/compatibility.md, from what a run of the matrix found. */

/** @typedef {{ what: string, cell: Record<string, string>, outcome: string }} Row */

/**
 * @param {{ date: string, version: string, node: string, rows: readonly Row[], sizes: Record<string, { packages: number, bytes: number }>, times: Record<string, number>, tools: { publint: string, attw: string } }} run
 */
export function report({ date, version, node, rows, sizes, times, tools }) {
  const of = (/** @type {string} */ what) => rows.filter((row) => row.what === what);
  const single = (/** @type {string} */ what) => shown(of(what)[0]?.outcome);
  return `# Where the package works

Written by \`npm run matrix\` on ${date}, with version ${version} as \`npm pack\` makes it. Each cell was run: "–" was not. The SDK itself wants Node 22 or later, and npm warns on Node 20; it works there all the same.

The lowest SDK is 3.252, and everything here was run with the CLI 3.259. Older SDKs, down to 3.216, pass the engine tests too. But they bring OpenTelemetry 0.57 or older, and npm refuses to install that beside the optional package of the sink \`otlp\`.

## The package itself

| Check | Clean |
|---|---|
| ${tools.publint}, strict | ${single("publint")} |
| ${tools.attw} | ${single("are the types wrong")} |

## \`pulumi up\` with the real engine

Against the emulator of the same installation, then \`preview --refresh --expect-no-changes\`. Default TypeScript is what the SDK compiles by itself.

${table(of("pulumi up"), ["manager", "sdk", "node", "program"])}

## \`require\` and \`import\` of every entry point

${table(of("require and import"), ["manager", "sdk", "node"])}

## Types of every entry point

Compiled with \`strict\` and \`skipLibCheck\`.

${table(of("types"), ["manager", "typescript", "resolution"])}

## Size

| npm installs | Packages | MB |
|---|---|---|
${Object.entries(sizes)
  .map(([what, { packages, bytes }]) => `| ${what} | ${packages} | ${(bytes / 1e6).toFixed(1)} |`)
  .join("\n")}

The package depends on \`@pulumi/policy\`, which brings an SDK wherever there is none; a program has one in any case.

## \`require\`

Milliseconds of computing on a Node ${node}, the median of five fresh processes.

| Entry point | ms |
|---|---|
${Object.entries(times)
  .map(([name, ms]) => `| \`${name}\` | ${ms.toFixed(0)} |`)
  .join("\n")}
`;
}

const TITLES = {
  manager: "Package manager",
  sdk: "SDK",
  node: "Node",
  program: "Program",
  typescript: "TypeScript",
  resolution: "`moduleResolution`",
};

/**
 * One row for each combination of all members but the last, of which each value is a column.
 *
 * @param {readonly Row[]} rows
 * @param {readonly (keyof TITLES)[]} members
 */
function table(rows, members) {
  const last = members[members.length - 1] ?? "node";
  const first = members.slice(0, -1);
  const columns = [...new Set(rows.map(({ cell }) => cell[last] ?? ""))];
  const lines = new Map();
  for (const { cell, outcome } of rows) {
    const key = first.map((member) => cell[member]).join(" | ");
    lines.set(key, { ...lines.get(key), [cell[last] ?? ""]: shown(outcome) });
  }
  const head = [...first.map((member) => TITLES[member]), ...columns.map((column) => `${TITLES[last]} ${column}`)];
  const body = [...lines].map(
    ([key, found]) => `| ${key} | ${columns.map((column) => found[column] ?? "–").join(" | ")} |`,
  );
  return [`| ${head.join(" | ")} |`, `|${"---|".repeat(head.length)}`, ...body].join("\n");
}

function shown(/** @type {string | undefined} */ outcome) {
  return outcome === "yes" ? "yes" : "**no**";
}
