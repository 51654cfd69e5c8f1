import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { startEmulator } from "../../provider/emulator";
import { isDescribed, openApi } from "../../provider/emulator/control/openapi";
import { OPERATIONS } from "../../provider/emulator/control/operations";
import { defaultState } from "../../provider/emulator/state/default-state";
import { stateJsonSchema, stateSchema } from "../../provider/emulator/state/state";
import { publishedJson } from "../support/published-json";

// Written anew by `vitest run -u`.
test("the published JSON Schema of a state is that of the code", async () => {
  await expect(await publishedJson(stateJsonSchema())).toMatchFileSnapshot("../../schemas/emulator-state.schema.json");
});

test("the published description of the control API is that of the code", async () => {
  // It nests so deep that blanks were half of it, and a tenth of the package.
  await expect(await publishedJson(openApi(OPERATIONS))).toMatchFileSnapshot(
    "../../schemas/emulator-control.openapi.json",
  );
});

const published = (file: string) => JSON.parse(readFileSync(`${__dirname}/../../schemas/${file}`, "utf8"));

test("the JSON Schema alone tells states from other things", () => {
  const schema = z.fromJSONSchema(published("emulator-state.schema.json"));
  expect(schema.safeParse(defaultState).error).toBeUndefined();
  expect(schema.safeParse({ arenas: { edge: { sets: { blocked: {} } } } }).success).toBe(true);
  for (const wrong of [{ arena: {} }, { arenas: { edge: { sets: { blocked: ["192.0.2.0/24"] } } } }, { arenas: [] }]) {
    expect(schema.safeParse(wrong).success).toBe(false);
    expect(stateSchema.safeParse(wrong).success).toBe(false);
  }
});

/** Arguments of each operation, by operationId; operations without an entry need none. */
const CALLS: Record<string, { path?: string; query?: string; body?: unknown }> = {
  putState: { body: defaultState },
  getPrefixSet: { query: "?url=prefixset://edge/blocked" },
  postPrefixSetChange: { body: { url: "prefixset://edge/blocked", insert: { "203.0.113.0/24": 2 } } },
  postSignalings: { body: { clientId: "client-a", start: ["198.51.100.7"] } },
  getBoundProfile: { query: "?address=198.51.100.7" },
  putSnapshotsByName: { path: "/snapshots/one" },
  postSnapshotsByNameRestore: { path: "/snapshots/one/restore" },
  deleteSnapshotsByName: { path: "/snapshots/one" },
  postFaults: { body: { cmd: "commit", status: 503 } },
  deleteFaultsById: { path: "/faults/1" },
  postClock: { body: { advance: "1s" } },
  putDialect: { body: { name: "verbose" } },
  postJournalWait: { body: { filter: { status: 405 } } },
  postJournalExpect: { body: { filter: { cmd: "commit" }, count: 0 } },
  postJournalExpectOrder: { body: { filters: [{ api: "node" }] } },
  postRuns: { body: { label: "one" } },
  postPackets: { body: [{ from: "203.0.113.9", to: "198.51.100.7", proto: "tcp" }] },
  postTraffic: { body: { kind: "synFlood", to: ["198.51.100.7"], count: 1_000 } },
  postEmulators: { body: { label: "one" } },
  deleteEmulatorsByLabel: { path: "/emulators/one" },
  getMarks: { query: "?url=profile://edge/web&type=shost" },
  getCounters: { query: "?url=profile://edge/web" },
};

type Schema = Parameters<typeof z.fromJSONSchema>[0];

interface Operation {
  operationId: string;
  responses: Record<string, { content: Record<string, { schema: Schema }> }>;
}

/** A schema with everything that it refers to. */
function inside(schema: Schema, components: { schemas: object }): Schema {
  const whole = JSON.stringify({ ...(schema as object), $defs: components.schemas });
  return JSON.parse(whole.replaceAll("#/components/schemas/", "#/$defs/"));
}

test("every operation answers as its description says", async () => {
  await using emulator = await startEmulator();
  const { paths, components } = published("emulator-control.openapi.json") as {
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: object };
  };
  // Deletions last, so that there is something to delete.
  const operations = Object.entries(paths)
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })))
    .sort((a, b) => Number(a.method === "delete") - Number(b.method === "delete") || a.path.length - b.path.length)
    .sort(
      (a, b) => Number(a.operation.operationId === "deleteFaults") - Number(b.operation.operationId === "deleteFaults"),
    )
    .sort((a, b) => Number(a.path === "/stop") - Number(b.path === "/stop"));
  expect(operations.length).toBe(OPERATIONS.filter(isDescribed).length);
  for (const { path, method, operation } of operations) {
    await fetch(`${emulator.endpoint}/fapi`);
    const call = CALLS[operation.operationId] ?? {};
    const response = await fetch(`${emulator.control}${call.path ?? path}${call.query ?? ""}`, {
      method: method.toUpperCase(),
      ...(call.body !== undefined && {
        headers: { "content-type": "application/json" },
        body: JSON.stringify(call.body),
      }),
    });
    const described = operation.responses[String(response.status)];
    expect(described, `${method} ${path}: ${response.status}`).toBeDefined();
    expect(response.status, operation.operationId).toBe(200);
    const [type = "", content] = Object.entries(described?.content ?? {})[0] ?? [];
    expect(response.headers.get("content-type"), operation.operationId).toContain(type);
    if (type === "application/json" && content) {
      const answer = await response.json();
      const result = z.fromJSONSchema(inside(content.schema, components)).safeParse(answer);
      expect(result.error, operation.operationId).toBeUndefined();
      const own = OPERATIONS.find((it) => it.path === path && it.method === method.toUpperCase());
      expect(own?.outline?.safeParse(answer).error, operation.operationId).toBeUndefined();
    } else await response.body?.cancel();
  }
});

test("every refusal of the control API is described where it comes", async () => {
  const { paths } = published("emulator-control.openapi.json") as { paths: Record<string, Record<string, Operation>> };
  await using emulator = await startEmulator({ controlToken: "a-token-of-16-letters" });
  await using open = await startEmulator();
  const authorization = "Bearer a-token-of-16-letters";
  const type = { "content-type": "application/json" };
  const calls: [status: number, method: string, path: string, init: RequestInit, at?: string][] = [
    [400, "get", "/journal?comand=list", { headers: { authorization } }],
    [400, "put", "/snapshots/{name}?nme=one", { headers: { authorization } }],
    [401, "get", "/state", {}],
    [403, "get", "/state", { headers: { origin: "http://192.0.2.10" } }, open.control],
    [404, "post", "/snapshots/{name}/restore", { headers: { authorization } }],
    [405, "get", "/reset", { headers: { authorization } }],
    [413, "post", "/faults", { headers: { authorization, ...type }, body: " ".repeat(33 * 2 ** 20) }],
  ];
  for (const [status, method, path, init, at = emulator.control] of calls) {
    const answer = await fetch(at + path.replace("{name}", "one"), { method: method.toUpperCase(), ...init });
    expect([path, answer.status, typeof ((await answer.json()) as { error: unknown }).error]).toEqual([
      path,
      status,
      "string",
    ]);
    const operation = paths[path.split("?")[0] ?? ""] ?? {};
    expect(Object.values(operation)[0]?.responses, path).toHaveProperty(String(status));
  }
});

test("a duration in the published description is what the emulator reads", () => {
  const { paths } = published("emulator-control.openapi.json");
  const within = paths["/journal/wait"].post.requestBody.content["application/json"].schema.properties.within;
  const schema = z.fromJSONSchema(within);
  for (const duration of [0, 5, "10ms", "1.5s", "9m59s", "2d"]) expect(schema.safeParse(duration).success).toBe(true);
  for (const text of ["", "1 hour", "s", "1m2h", "5"]) expect(schema.safeParse(text).success).toBe(false);
});
