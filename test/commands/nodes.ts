import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../provider/emulator";
import { useEmptyFolder } from "../support/folder";

/** Writes the file of a stack that has these nodes, by name. */
export function writeStack(folder: string, endpoints: Readonly<Record<string, string>>, stack = "dev"): Promise<void> {
  const lines = Object.entries(endpoints).map(([name, endpoint]) => `    ${name}: { endpoint: "${endpoint}" }\n`);
  return writeFile(join(folder, `Pulumi.${stack}.yaml`), `config:\n  packetfilter:nodes:\n${lines.join("")}`);
}

/** The folder of a project, which holds nothing but its stack `dev`, and the nodes of the stack: new emulators for each test. */
export function useNodes(options: Readonly<Record<string, EmulatorOptions>>) {
  const folder = useEmptyFolder();
  const nodes: Emulator[] = [];
  const names = Object.keys(options);
  /** Writes the stack with another address for some of the nodes. */
  const place = (others: Readonly<Record<string, string>> = {}) =>
    writeStack(folder, { ...Object.fromEntries(names.map((name, index) => [name, endpoint(index)])), ...others });
  const endpoint = (index: number) => nodes[index]?.endpoint ?? "";
  beforeEach(async () => {
    nodes.splice(0, nodes.length, ...(await Promise.all(Object.values(options).map((one) => startEmulator(one)))));
    await writeFile(join(folder, "Pulumi.yaml"), "name: edge\nruntime: nodejs\n");
    await place();
  });
  afterEach(async () => void (await Promise.all(nodes.map((node) => node.close()))));
  return { folder, nodes, endpoint, place };
}
