import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import ts from "typescript";
import { expect, test } from "vitest";
import { startEmulator } from "../../provider/emulator";

const run = promisify(execFile);
const ROOT = join(__dirname, "../..");

/** A user's program with the generated types. */
const PROGRAM = `
import createClient from "openapi-fetch";
import type { components, paths } from "./control-api.js";

export async function drive(control: string, endpoint: string) {
  const emulator = createClient<paths>({ baseUrl: control });
  await emulator.POST("/reset");
  const fault: components["schemas"]["Fault"] = { cmd: "commit", nth: 1, status: 503 };
  const { data: set } = await emulator.POST("/faults", { body: fault });
  const id: number | undefined = set?.id;

  const statuses: number[] = [];
  for (const command of [{ cmd: "insert", data: [{ p: "203.0.113.0/24", v: 2 }] }, { cmd: "commit" }, { cmd: "commit" }]) {
    const body = JSON.stringify({ url: "prefixset://edge/blocked", ...command });
    const headers = { "content-type": "application/json", "packetfilter-run": "file-7" };
    statuses.push((await fetch(endpoint + "/fapi", { method: "POST", headers, body })).status);
  }

  const { data: commits } = await emulator.GET("/journal", { params: { query: { cmd: "commit", run: "file-7" } } });
  const { data: state } = await emulator.GET("/state");
  const { data: faults } = await emulator.GET("/faults");
  const { error, response } = await emulator.DELETE("/faults/{id}", { params: { path: { id: 99 } } });
  return {
    id,
    statuses,
    commits: commits?.map(({ status, commit }) => [status, commit?.inserted]),
    held: state?.arenas?.edge?.sets?.blocked?.["203.0.113.0/24"],
    faults: faults?.map(({ id, hits }) => [id, hits]),
    refusal: [response.status, error?.error],
  };
}
`;

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  skipLibCheck: false,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ["lib.es2022.d.ts", "lib.dom.d.ts"],
  types: [],
};

/** Compiles, and says what the compiler has against it. */
function compile(files: string[]): string[] {
  const program = ts.createProgram(files, OPTIONS);
  program.emit();
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`);
}

test("types and a client that are generated from the published description compile, libraries checked, and drive a test", async () => {
  // Within the checkout, where the compiler finds the libraries.
  await mkdir(join(ROOT, ".tmp"), { recursive: true });
  const folder = await mkdtemp(join(ROOT, ".tmp/generated-client-"));
  try {
    const [description, types] = ["schemas/emulator-control.openapi.json", join(folder, "control-api.d.ts")];
    await run("npx", ["openapi-typescript", description, "--output", types], { cwd: ROOT });
    await writeFile(join(folder, "drive.mts"), PROGRAM);
    expect(compile([join(folder, "drive.mts"), types])).toEqual([]);

    await using emulator = await startEmulator();
    const { drive } = await import(/* @vite-ignore */ pathToFileURL(join(folder, "drive.mjs")).href);
    expect(await drive(emulator.control, emulator.endpoint)).toEqual({
      id: 1,
      statuses: [200, 503, 200],
      commits: [
        [503, undefined],
        [200, { "203.0.113.0/24": 2 }],
      ],
      held: 2,
      faults: [[1, 1]],
      refusal: [404, "There is no fault 99."],
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}, 300_000);
