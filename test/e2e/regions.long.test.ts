import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments, stringify } from "yaml";
import { z } from "zod";
import type { Emulator } from "../../provider/emulator";
import { root } from "../support/markdown";
import { SECRETS_PROVIDER, TestStack, TYPES_ARE_CHECKED } from "./support/stack";
import { BLOCKED, emptyNode, since } from "./support/world";

const example = join(root, "examples", "regions");
const read = (file: string) => readFileSync(join(example, file), "utf8");
const REGIONS = readdirSync(example)
  .flatMap((file) => /^Pulumi\.(\w+)\.yaml$/.exec(file)?.[1] ?? [])
  .filter((stack) => stack !== "lab")
  .sort();

const workflow = z.object({
  jobs: z.object({
    region: z.object({
      strategy: z.strictObject({ "fail-fast": z.boolean(), matrix: z.strictObject({ region: z.array(z.string()) }) }),
      env: z.record(z.string(), z.string()),
      steps: z.array(z.object({ run: z.string().optional(), if: z.string().optional() })),
    }),
  }),
});
const { strategy, env, steps } = workflow.parse(parse(read(".github/workflows/regions.yml"))).jobs.region;

const secret = z.strictObject({
  type: z.literal("Secret"),
  secret: z.strictObject({ name: z.string(), key: z.string() }),
});
const literal = z.strictObject({ type: z.literal("Literal"), literal: z.strictObject({ value: z.string() }) });
/** By hand, from the operator's custom resource definition (2.9), which has a megabyte and a half: the members that the example uses. */
const stackResource = z.strictObject({
  apiVersion: z.literal("pulumi.com/v1"),
  kind: z.literal("Stack"),
  metadata: z.strictObject({ name: z.string().regex(/^[a-z0-9-]{1,63}$/), namespace: z.string() }),
  spec: z.strictObject({
    serviceAccountName: z.string(),
    projectRepo: z.url(),
    branch: z.string(),
    shallow: z.boolean(),
    backend: z.string(),
    stack: z.string(),
    useLocalStackOnly: z.boolean(),
    refresh: z.boolean(),
    continueResyncOnCommitMatch: z.boolean(),
    // Less counts as a minute.
    resyncFrequencySeconds: z.int().min(60),
    retryMaxBackoffDurationSeconds: z.int(),
    envRefs: z.record(z.string().regex(/^[A-Z_]+$/), z.discriminatedUnion("type", [secret, literal])),
    workspaceTemplate: z.strictObject({ spec: z.strictObject({ image: z.string() }) }),
  }),
});

describe("examples/regions", () => {
  const manifests = parseAllDocuments(read("operator/stacks.yaml")).map((one): { kind: string } => one.toJS());

  it("has a stack file, a job and a Stack for every region", () => {
    const { name } = parse(read("Pulumi.yaml"));
    const stacks = manifests.filter(({ kind }) => kind === "Stack").map((one) => stackResource.parse(one));
    expect(strategy.matrix.region.toSorted()).toEqual(REGIONS);
    expect(stacks.map(({ spec }) => spec.stack).sort()).toEqual(REGIONS.map((one) => `organization/${name}/${one}`));
    expect(stacks.map(({ metadata }) => metadata.name).sort()).toEqual(REGIONS.map((one) => `packetfilter-${one}`));
  });

  it("hands both ways the same variables, and lets no region end another", () => {
    const [stack] = manifests.filter(({ kind }) => kind === "Stack").map((one) => stackResource.parse(one));
    const ofStack = ["PULUMI_BACKEND_URL", "PULUMI_STACK", ...Object.keys(stack?.spec.envRefs ?? {})];
    const ofPipeline = Object.keys(env).filter(
      (name) => !["PULUMI_SKIP_UPDATE_CHECK", "PACKETFILTER_ACTOR"].includes(name),
    );
    expect(ofStack.sort()).toEqual(ofPipeline.sort());
    expect(strategy["fail-fast"]).toBe(false);
  });
});

describe("its regions, as jobs that run at the same time", () => {
  const nodes = new Map<string, Emulator>();
  let stack: TestStack;

  /** The steps of a region's job, but for the installation, as GitHub runs them. */
  async function job(region: string, event = "push"): Promise<{ code: number; text: string }> {
    const holds = (condition = "true"): boolean =>
      new Function("github", `return ${condition}`)({ event_name: event }) === true;
    const lines = steps.flatMap(({ run, if: condition }) =>
      run === undefined || run === "npm ci --ignore-scripts" || !holds(condition) ? [] : [run],
    );
    const text = lines.join("\n");
    const options = {
      cwd: stack.folder,
      env: { ...stack.variables, ...TYPES_ARE_CHECKED, PULUMI_STACK: region, CI: "true" },
    };
    return promisify(execFile)("bash", ["-eo", "pipefail", "-c", text], options).then(
      ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
      ({ code, stdout, stderr }) => ({ code, text: stdout + stderr }),
    );
  }
  const all = async (event?: string) => {
    const runs = await Promise.all(REGIONS.map(async (region) => [region, await job(region, event)] as const));
    return Object.fromEntries(runs);
  };
  const succeeded = (runs: Readonly<Record<string, { code: number }>>) =>
    Object.fromEntries(Object.entries(runs).map(([region, { code }]) => [region, code === 0]));
  const applied = () => Object.fromEntries([...nodes].map(([name, node]) => [name, node.prefixSet(BLOCKED).applied]));

  beforeAll(async () => {
    stack = await TestStack.create({ program: "", language: "typescript" });
    await cp(example, stack.folder, { recursive: true });
    for (const region of REGIONS) {
      const file = join(stack.folder, `Pulumi.${region}.yaml`);
      const config = z
        .object({ config: z.object({ "packetfilter:nodes": z.record(z.string(), z.object({ endpoint: z.url() })) }) })
        .parse(parse(await readFile(file, "utf8")));
      for (const [name, node] of Object.entries(config.config["packetfilter:nodes"])) {
        const emulator = await emptyNode();
        nodes.set(name, emulator);
        node.endpoint = emulator.endpoint;
      }
      await writeFile(file, stringify(config));
      await stack.must("stack", "init", region, SECRETS_PROVIDER);
    }
  });
  afterAll(async () => {
    await stack?.[Symbol.asyncDispose]();
    await Promise.all([...nodes.values()].map((node) => node.close()));
  });

  it("fills every region, but for the one that fails; run again, that one is done and the others are left alone", async () => {
    const wanted = { "192.0.2.0/24": 1, "203.0.113.7/32": 2 };
    // The node of the second wave of one region refuses.
    nodes.get("fra1")?.fail({ cmd: "commit", every: 1, status: 500 });
    const first = await all();
    expect(succeeded(first)).toEqual({ ap: true, eu: false, us: true });
    expect(first.eu?.text).toContain("fra1");
    const everywhere = Object.fromEntries([...nodes.keys()].map((name) => [name, wanted]));
    expect(applied()).toEqual({ ...everywhere, fra1: {} });

    nodes.get("fra1")?.clearFaults();
    const changes = [...nodes.values()].map(since);
    const second = await all("schedule");
    expect(
      succeeded(second),
      Object.values(second)
        .map(({ text }) => text)
        .join("\n"),
    ).toEqual({ ap: true, eu: true, us: true });
    expect(applied()).toEqual(everywhere);
    expect([...nodes.keys()].filter((_, index) => changes[index]?.().includes("commit"))).toEqual(["fra1"]);
  });
});
