import { execFileSync, spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { root } from "./support/markdown";

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, string>>;
}
interface Job {
  readonly steps: readonly Step[];
}

const MINUTES = 60_000;
const HOME = "https://git.example.net/edge/packetfilter";
let place: string;
let version: string;
let jobs: Readonly<Record<string, Job>>;

/** The commands of a job in the working folder of its own, and the arguments with which `gh` was called. */
interface Ended {
  readonly folder: string;
  readonly ran: readonly string[];
  readonly gh: readonly string[];
}

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), "packetfilter-release-"));
  const source = join(place, "source");
  const git = (...args: string[]) => execFileSync("git", ["-C", source, ...args], { stdio: "pipe" });
  execFileSync("git", ["clone", "--quiet", root, source]);
  version = JSON.parse(await readFile(join(source, "package.json"), "utf8")).version;
  const changelog = await readFile(join(source, "CHANGELOG.md"), "utf8");
  await writeFile(join(source, "CHANGELOG.md"), changelog.replace("(unreleased)", "(2026-12-31)"));
  git(
    "-c",
    "user.name=release",
    "-c",
    "user.email=release@example.com",
    "commit",
    "--quiet",
    "--allow-empty",
    "-am",
    "Release",
  );
  git("tag", `v${version}`);
  jobs = parse(await readFile(join(source, ".github/workflows/release.yml"), "utf8")).jobs;
  // In place of GitHub's own command: writes down what it was called with.
  await mkdir(join(place, "bin"));
  await writeFile(join(place, "bin", "gh"), `#!/bin/sh\nprintf '%s\\n' "$@" > "$GH_CALL"\n`, { mode: 0o755 });
}, MINUTES);

afterAll(() => rm(place, { recursive: true, force: true, maxRetries: 5 }));

/** Runs the steps of a job as the workflow's file has them: `uses` of checkout and artifacts here, all other actions not at all. */
async function run(name: string, change: (command: string) => string = (command) => command): Promise<Ended> {
  const folder = join(place, name);
  const artifacts = join(place, "artifacts");
  await mkdir(folder);
  const env = {
    ...process.env,
    PATH: `${join(place, "bin")}${delimiter}${process.env.PATH}`,
    GH_CALL: join(place, `${name}.gh`),
    GITHUB_OUTPUT: join(place, `${name}.output`),
    GITHUB_REF_NAME: `v${version}`,
    GITHUB_REPOSITORY: "edge/packetfilter",
    GITHUB_SERVER_URL: "https://git.example.net",
  };
  const ran: string[] = [];
  for (const { uses = "", run: command, with: given = {} } of jobs[name]?.steps ?? []) {
    const action = uses.split("@")[0];
    if (action === "actions/checkout")
      execFileSync("git", ["clone", "--quiet", "--branch", `v${version}`, join(place, "source"), folder], {
        stdio: "pipe",
      });
    if (action === "actions/upload-artifact")
      await cp(join(folder, given.path ?? ""), join(artifacts, given.name ?? ""), { recursive: true });
    if (action === "actions/download-artifact")
      for (const one of given.name === undefined ? await readdir(artifacts) : [given.name])
        await cp(join(artifacts, one), join(folder, given.path ?? ""), { recursive: true });
    if (command === undefined) continue;
    execFileSync("bash", ["-e", "-c", change(command)], { cwd: folder, env, stdio: "pipe" });
    ran.push(command.trim());
  }
  const call = await readFile(env.GH_CALL, "utf8").catch(() => "");
  return { folder, ran, gh: call.split("\n").filter((line) => line !== "") };
}

test("a release from a tag, as its workflow has it, publishes nothing here and lacks nothing", {
  timeout: 30 * MINUTES,
}, async () => {
  // The tests themselves are what runs this.
  const tested = await run("test", (command) => command.replace(/^npm test$/m, "true"));
  expect(tested.ran.at(-1)).toBe("npm test");

  // Before the workflow has set the addresses, npm refuses, in a dry run too.
  const early = spawnSync("npm", ["publish", "--dry-run", "--ignore-scripts=false"], {
    cwd: tested.folder,
    encoding: "utf8",
  });
  expect([early.status, early.stderr]).toEqual([
    1,
    expect.stringContaining("package.json still has placeholders in homepage, bugs.url, repository.url"),
  ]);

  const { folder } = await run("package");
  const archive = `pulumi-packetfilter-${version}.tgz`;
  const packed = (await readdir(join(folder, "release"))).sort();
  expect(packed).toContain(archive);
  expect(packed.filter((name) => name.startsWith("pulumi-resource-packetfilter-")).length).toBeGreaterThan(1);
  const manifest = execFileSync("tar", ["-xzOf", join(folder, "release", archive), "package/package.json"]).toString();
  expect(JSON.parse(manifest)).toMatchObject({
    version,
    homepage: `${HOME}#readme`,
    bugs: { url: `${HOME}/issues` },
    repository: { url: `git+${HOME}.git` },
  });
  expect(await readFile(join(place, "package.output"), "utf8")).toBe(`version=${version}\n`);

  const papers = join((await run("papers")).folder, "papers");
  expect((await readdir(papers)).sort()).toEqual(["notes.md", "reference.tar.gz", "sbom.cdx.json"]);
  const { components } = JSON.parse(await readFile(join(papers, "sbom.cdx.json"), "utf8"));
  const names = components.map((one: { name: string }) => one.name);
  expect(names).toEqual(expect.arrayContaining(["pulumi-packetfilter", "undici", "zod", "ipaddr.js"]));
  expect(await readFile(join(papers, "notes.md"), "utf8")).toMatch(/^### Resources/m);

  // All but the last step of it: no token, no upload. Provenance needs GitHub's own identity.
  const published = await run("npm", (command) => `${command.replace("--provenance ", "")} --dry-run`);
  expect(published.ran).toHaveLength(1);

  // The attestation's subjects and SBOM are there; the action itself needs GitHub.
  const { with: attested = {} } = jobs.attest?.steps.find(({ uses }) => uses?.startsWith("actions/attest@")) ?? {};
  const { gh, folder: last } = await run("notes");
  expect([attested["subject-path"], attested["sbom-path"]]).toEqual(["release/*.tgz", "papers/sbom.cdx.json"]);
  // What a job made with packages of others cannot take the place of what is published.
  for (const one of ["attest", "notes"]) {
    const taken = jobs[one]?.steps.flatMap(({ with: given }) => given?.path ?? []) ?? [];
    expect(taken).toEqual(["release", "papers"]);
  }
  expect((await readdir(join(last, "release"))).sort()).toEqual(packed);
  expect(await readdir(join(last, "papers"))).toContain("sbom.cdx.json");

  expect(gh.slice(0, 3)).toEqual(["release", "create", `v${version}`]);
  const files = gh.filter((one) => one.startsWith("release/")).map((file) => file.replace("release/", ""));
  expect(files.sort()).toEqual(packed);
  expect(gh).toEqual(expect.arrayContaining(["papers/notes.md", "papers/sbom.cdx.json", "papers/reference.tar.gz"]));
});

test("a tag that is not the version, and a changelog without a day, stop it before anything is packed", async () => {
  const [step] = jobs.test?.steps.flatMap(({ run: command }) => command ?? []) ?? [];
  const tried = (folder: string, tag: string) => {
    const env = { ...process.env, GITHUB_REF_NAME: tag };
    return () => execFileSync("bash", ["-e", "-c", step ?? ""], { cwd: folder, env, stdio: "pipe" });
  };
  expect(tried(join(place, "source"), `v${version}`)).not.toThrow();
  expect(tried(join(place, "source"), "v99.0.0")).toThrow(/The tag is v99\.0\.0 and package\.json has/);
  const undated = join(place, "undated");
  execFileSync("git", ["clone", "--quiet", join(place, "source"), undated]);
  const changelog = await readFile(join(undated, "CHANGELOG.md"), "utf8");
  await writeFile(join(undated, "CHANGELOG.md"), changelog.replace(/^(## \S+) \(.*\)$/m, "$1 (unreleased)"));
  expect(tried(undated, `v${version}`)).toThrow(/has no date/);
});
