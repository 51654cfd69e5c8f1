import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { DIALECTS, deviations, dialect, stateSchema } from "../../provider/emulator";
import { SWITCHES, type Switch } from "../../provider/emulator/behaviour/dialect";
import { FAULT_KINDS } from "../../provider/emulator/behaviour/fault-kinds";
import { faultSchema } from "../../provider/emulator/behaviour/faults";
import { ROUTES } from "../../provider/emulator/control";
import { isDescribed } from "../../provider/emulator/control/openapi";

const docs = join(__dirname, "../../docs");
const page = readFileSync(join(docs, "emulator.md"), "utf8");

const row = (...cells: unknown[]) => `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|")).join(" | ")} |`;
const code = (text: unknown) => `\`${text}\``;
const head = (...titles: string[]) => [row(...titles), row(...titles.map(() => "---"))];

function reference(): string {
  const switches = Object.entries(SWITCHES).map(([name, { schema, alternatives, refusals }]: [string, Switch]) =>
    row(
      code(name),
      code(schema.parse(undefined)),
      [...alternatives, ...(refusals ?? [])].map(code).join(", "),
      z.globalRegistry.get(schema)?.description,
    ),
  );
  const dialects = Object.entries(DIALECTS).map(([name, it]) => row(code(name), code(JSON.stringify(it))));
  const faults = Object.entries(FAULT_KINDS).map(([name, { about }]) => row(code(name), about));
  const parameters = Object.entries(faultSchema.shape).map(([name, it]) =>
    row(code(name), z.globalRegistry.get(it)?.description),
  );
  const routes = ROUTES.filter(isDescribed).map(({ method, path, summary }) => row(code(`${method} ${path}`), summary));
  return `${[
    "# Reference of the emulator",
    "Made from the code; a test keeps it true.",
    "## Dialect: how open points of the contract are settled",
    "`setDialect({ … })` in a test, `PUT /dialect` over the control API; `--dialect NAME` for the command, where `seed:N` draws every switch by chance and a JSON file names switches, alone or under `dialect`.",
    [...head("switch", "default", "others", "meaning"), ...switches].join("\n"),
    "Named dialects:",
    [...head("name", "switches"), ...dialects].join("\n"),
    "## Faults",
    "`fail({ … })` in a test, `POST /faults` over the control API.",
    [...head("kind", "what happens"), ...faults].join("\n"),
    [...head("member", "meaning"), ...parameters].join("\n"),
    "## Control API",
    [...head("operation", "meaning"), ...routes].join("\n"),
  ].join("\n\n")}\n`;
}

test("the reference is that of the code", async () => {
  expect(reference()).not.toContain("undefined");
  await expect(reference()).toMatchFileSnapshot(join(docs, "emulator-reference.md"));
});

test("the example of the documentation is one that runs", () => {
  const source = readFileSync(join(__dirname, "example.test.ts"), "utf8");
  const example = /\/\/ <example>\n(.*?)\n *\/\/ <\/example>/s.exec(source)?.[1]?.replace(/^ {2}/gm, "");
  expect(example).toContain("emulator.fail");
  expect(page).toContain(`${example}\n\`\`\``);
});

test("the state of the documentation is valid", () => {
  const [, yaml = ""] = /```yaml\n(.*?)```/s.exec(page) ?? [];
  expect(stateSchema.safeParse(parse(yaml)).error).toBeUndefined();
});

test("the dialect of the documentation is one that deviates in all that it names", () => {
  const [, source = ""] = /```json\n(\{ "dialect".*?)```/s.exec(page) ?? [];
  const { dialect: settings } = JSON.parse(source);
  expect(deviations(dialect(settings))).toEqual(settings);
});
