import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { main } from "../../provider/commands/program";
import { defaultClients } from "../../provider/emulator/state/default-state";
import { fapi, signaling } from "./calls";

const folder = join(__dirname, "../../examples/emulator-container");
const dockerfile = readFileSync(join(folder, "Dockerfile"), "utf8");
const workflow = parse(readFileSync(join(folder, ".github/workflows/test.yaml"), "utf8"));

test("the image's command line starts an emulator, with the health check that the image has", async () => {
  const [command, ...args] = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(dockerfile)?.[1] ?? "[]");
  expect(command).toBe("pulumi-packetfilter");
  const [port, controlPort] = /^EXPOSE (\d+) (\d+)$/m.exec(dockerfile)?.slice(1) ?? [];
  expect(args).toEqual(expect.arrayContaining(["--port", port, "--control-port", controlPort]));
  const health = /"(http:[^"]*)"/.exec(dockerfile)?.[1] ?? "";
  expect(new URL(health).port).toBe(controlPort);

  // The same on ports that are free here.
  const stop = new AbortController();
  let ready = (_: string) => {};
  const line = new Promise<string>((resolve) => {
    ready = resolve;
  });
  const env = { PACKETFILTER_EMULATOR_TOKEN: workflow.env.PACKETFILTER_EMULATOR_TOKEN };
  const free = args.map((arg: string) => (arg === port || arg === controlPort ? "0" : arg));
  const ended = main([...free, "--json"], { out: ready, err: () => {}, env, stop: stop.signal });
  const info = JSON.parse(await line);
  expect(info.controlToken).toBe(env.PACKETFILTER_EMULATOR_TOKEN);
  const here = (url: string) => url.replace("0.0.0.0", "127.0.0.1");
  expect((await fetch(`${here(info.control)}${new URL(health).pathname}`)).status).toBe(200);
  expect((await fetch(`${here(info.control)}/state`)).status).toBe(401);
  expect((await fapi({ endpoint: here(info.endpoint) }, { url: "arena://edge", cmd: "list" })).status).toBe(200);
  stop.abort();
  expect(await ended).toBe(0);
});

test("the testcontainers recipe starts the image with a state and returns what a test needs", async () => {
  // No containers here: this one runs the command line of the image in the process, and maps its ports to those taken.
  const [, ...entrypoint] = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(dockerfile)?.[1] ?? "[]");
  const stop = new AbortController();
  const given = {
    ports: [] as number[],
    env: {},
    files: [] as { content: string; target: string }[],
    command: [] as string[],
  };
  let ended: Promise<number> | undefined;
  const keep = (what: Partial<typeof given>) => {
    Object.assign(given, what);
    return container;
  };
  const container = {
    withExposedPorts: (...ports: number[]): object => keep({ ports }),
    withEnvironment: (env: object): object => keep({ env }),
    withCopyContentToContainer: (files: typeof given.files): object => keep({ files }),
    withCommand: (command: string[]): object => keep({ command }),
    withWaitStrategy: (): object => container,
    start: async () => {
      const kept = await mkdtemp(join(tmpdir(), "packetfilter-"));
      const [{ content, target } = { content: "", target: "" }] = given.files;
      await writeFile(join(kept, "state.json"), content);
      const here = (arg: string) =>
        arg === "8080" || arg === "8081" ? "0" : arg === target ? join(kept, "state.json") : arg;
      const line = await new Promise<string>((ready) => {
        const io = { out: ready, err: () => {}, env: { ...given.env }, stop: stop.signal };
        ended = main([...entrypoint, ...given.command, "--json"].map(here), io);
      });
      await rm(kept, { recursive: true });
      const { endpoint, control } = JSON.parse(line);
      const ports: Record<number, string> = { 8080: new URL(endpoint).port, 8081: new URL(control).port };
      return {
        getHost: () => "127.0.0.1",
        getMappedPort: (port: number) => ports[port],
        stop: async () => stop.abort(),
      };
    },
  };
  const GenericContainer = { fromDockerfile: () => ({ build: async () => container }) };
  const Wait = { forHttp: (path: string, port: number) => expect([path, port]).toEqual(["/health", 8081]) };
  const { startEmulatorContainer } = await import("../../examples/emulator-container/testcontainers.mjs");
  const state = { arenas: { core: { sets: { bad: { "192.0.2.0/24": 5 } } } } };
  const {
    emulator,
    token,
    stop: end,
  } = await startEmulatorContainer({ GenericContainer, Wait }, { state, args: ["--seed", "7"] });

  expect(given.ports).toEqual([8080, 8081]);
  expect(given.env).toEqual({ PACKETFILTER_EMULATOR_TOKEN: token });
  expect((await emulator.info()).endpoint).toBe(emulator.endpoint);
  expect(emulator.endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  await emulator.fail({ cmd: "list", status: 503 });
  const list = { url: "prefixset://core/bad", cmd: "list" };
  expect((await fapi(emulator, list)).status).toBe(503);
  expect((await fapi(emulator, list)).json).toEqual({ data: [{ p: "192.0.2.0/24", v: 5 }] });
  const [client] = await emulator.clients;
  expect((await signaling(emulator.signalingUrl, client, "status")).json).toEqual({ IP_prefix: [] });
  await expect(emulator.fail({ cmd: "lst" } as never)).rejects.toThrow(/cmd: must be one of/);
  await end();
  expect(await ended).toBe(0);
});

test("the workflow uses the ports of the image and the emulator's clients", () => {
  const { services, env } = workflow.jobs.service;
  expect(services.node.ports).toEqual(["8080:8080", "8081:8081"]);
  expect(defaultClients).toContainEqual(
    expect.objectContaining({ clientId: env.PACKETFILTER_CLIENT_ID, secretKey: env.PACKETFILTER_SECRET_KEY }),
  );
});
