import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { main } from "../../provider/commands/program";
import { defaultClients } from "../../provider/emulator/state/default-state";
import { fapi, signaling } from "./calls";
import { instructions, words } from "./dockerfile";

const folder = join(__dirname, "../../examples/emulator-container");
const image = instructions(readFileSync(join(folder, "Dockerfile"), "utf8"));
const workflow = parse(readFileSync(join(folder, ".github/workflows/test.yaml"), "utf8"));

test("the testcontainers recipe starts the image with a state and returns what a test needs", async () => {
  // No containers here: this one runs the command line of the image in the process, and maps its ports to those taken.
  const [, ...entrypoint] = words(image.find(({ name }) => name === "ENTRYPOINT"));
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
      for (const { content, target } of given.files)
        await writeFile(join(kept, posix.relative("/states", target)), content);
      const here = (arg: string) => (arg === "8080" || arg === "8081" ? "0" : arg === "/states" ? kept : arg);
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

test("the job that starts the emulator itself has it until it stops it, and fails where it does not start", async () => {
  const work = await mkdtemp(join(tmpdir(), "packetfilter-"));
  // As `npm ci` installs it.
  await mkdir(join(work, "node_modules/.bin"), { recursive: true });
  await symlink(join(__dirname, "../.."), join(work, "node_modules/pulumi-packetfilter"));
  await symlink("../pulumi-packetfilter/dist/provider/cli.js", join(work, "node_modules/.bin/pulumi-packetfilter"));
  const scripts = workflow.jobs.process.steps.flatMap(({ run }: { run?: string }) => run ?? []);
  expect([scripts[0], scripts[2]]).toEqual(["npm ci", "npm test"]);
  const variables = join(work, "variables");
  const job = (script: string) => {
    const env = { ...process.env, ...workflow.env, GITHUB_ENV: variables };
    return promisify(execFile)("bash", ["-ec", script], { cwd: work, env });
  };
  await job(scripts[1]);
  const [, endpoint = ""] = /^PACKETFILTER_ENDPOINT=(.*)\n$/.exec(readFileSync(variables, "utf8")) ?? [];
  const list = { url: "arena://edge", cmd: "list" };
  expect((await fapi({ endpoint }, list)).status).toBe(200);
  await expect(job(scripts[1])).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining("is already running"),
  });
  await job(scripts[3]);
  await expect(fapi({ endpoint }, list)).rejects.toThrow();
  await rm(work, { recursive: true });
}, 60_000);
