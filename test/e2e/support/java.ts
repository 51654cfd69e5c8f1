import { chmod, cp, readdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { localSdk, type Place, run } from "./languages";

/** Compiles the local SDK of Java, and puts a host there that runs the jar of {@link javaProgram}; gives the environment of its commands. */
export async function javaSdk({ folder, env }: Place): Promise<Readonly<Record<string, string>>> {
  const { ensurePart } = await import("../../../tools/pulumi-cli/parts.mjs");
  const sources = join(await localSdk("java", folder), "src/main");
  const all = await readdir(join(sources, "java"), { recursive: true });
  const files = all.filter((name) => name.endsWith(".java")).map((name) => join(sources, "java", name));
  await run("javac", ["-nowarn", "-d", "classes", "-cp", `${await javaJars()}/*`, ...files], folder);
  await cp(join(sources, "resources"), join(folder, "classes"), { recursive: true });
  // The engine says by its protocol which jar a project names, and the host of 0.16.1 reads its arguments.
  const host = join(folder, "pulumi-language-java");
  const real = join(await ensurePart("java"), "pulumi-language-java");
  await writeFile(host, `#!/bin/sh\nexec '${real}' -binary app.jar "$@"\n`);
  await chmod(host, 0o755);
  return { PATH: [folder, env.PATH].join(delimiter) };
}

/** Compiles a class in Java against the local SDK, into the jar that the host runs. */
export async function javaProgram(folder: string, sources: string, main: string): Promise<void> {
  const jars = await javaJars();
  const path = (await readdir(jars)).map((jar) => pathToFileURL(join(jars, jar)).href).join(" ");
  // A line of a manifest has 72 bytes.
  const manifest = `Main-Class: ${main}\nClass-Path: ${path}\n`.replaceAll(/.{70}/g, "$&\n ");
  await writeFile(join(folder, "manifest.txt"), manifest);
  const file = join(sources, `${main.replaceAll(".", "/")}.java`);
  await run("javac", ["-d", "classes", "-cp", `classes:${jars}/*`, file], folder);
  await run("jar", ["--create", "--file", "app.jar", "--manifest", "manifest.txt", "-C", "classes", "."], folder);
}

/** The jars of Pulumi's SDK for Java. */
async function javaJars(): Promise<string> {
  const { ensureServer } = await import("../../../tools/servers/ensure.mjs");
  return ensureServer("pulumi-java");
}
