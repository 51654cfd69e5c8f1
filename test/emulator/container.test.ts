import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { main } from "../../provider/commands/program";
import { defaultClients } from "../../provider/emulator/state/default-state";
import { fapi } from "./calls";

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

test("the workflow uses the ports of the image and the emulator's clients", () => {
  const { services, env } = workflow.jobs.service;
  expect(services.node.ports).toEqual(["8080:8080", "8081:8081"]);
  expect(defaultClients).toContainEqual(
    expect.objectContaining({ clientId: env.PACKETFILTER_CLIENT_ID, secretKey: env.PACKETFILTER_SECRET_KEY }),
  );
});
