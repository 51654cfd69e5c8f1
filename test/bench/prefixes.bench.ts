import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Runtime } from "../../provider/deployment/runtime";
import { fileContent } from "../../provider/report";
import { PrefixSetHandler } from "../../provider/resources/prefix-set/handler";
import { type Figure, median } from "./figure";

const LINES = 1_000_000;

/** A /24, none of which touches another with the same content. */
const ipv4 = (n: number) => `${20 + (n >>> 16)}.${(n >>> 8) & 255}.${n & 255}.0/24`;
const ipv6 = (n: number) => `2001:db8:${(n >>> 16).toString(16)}:${(n & 0xffff).toString(16)}::/64`;

/** Addresses, and one /24 in four, in no order. */
function* unordered(): Generator<string, void> {
  let state = 1;
  for (let n = 0; n < LINES; n++) {
    state = (state + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    const bits = (mixed ^ (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed))) >>> 0;
    const [a, b, c, d] = [1 + ((bits >>> 24) % 223), (bits >>> 16) & 255, (bits >>> 8) & 255, bits & 255];
    yield n % 4 === 0 ? `${a}.${b}.${c}.0/24` : `${a}.${b}.${c}.${d}/32`;
  }
}

const FILES: Readonly<Record<string, (n: number) => string>> = {
  "ipv4.txt": ipv4,
  "ipv6.txt": ipv6,
  "list.csv": (n) => (n === 0 ? "prefix,value,reason" : `${ipv4(n)},${n % 7},"SYN flood, wave ${n % 100}"`),
  "list.ndjson": (n) => `{"cidr":"${ipv4(n)}","reason":"SBL${n}"}`,
};

const REPORTED = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [ipv4(n), { value: 1 + (n % 7) }]));

/** Steps of a fresh process, each with its time and the process's peak memory. */
const SCRIPT = `
  const [room, file] = process.argv.slice(1);
  const prefixes = require(room);
  const steps = [];
  const step = (name, work) => {
    const [start, before] = [performance.now(), process.cpuUsage()];
    const result = work();
    const { user, system } = process.cpuUsage(before);
    steps.push([name, performance.now() - start, (user + system) / 1e3, process.resourceUsage().maxRSS / 1024]);
    return result;
  };
  const entries = step("read", () => prefixes.readPrefixFile(file));
  const inner = Object.keys(entries).filter((_, n) => n % 10 === 0).map((one) => one.replace(/0\\/24$/, "7/32").replace(/::\\/64$/, "::7/128"));
  step("countAddresses", () => prefixes.countAddresses(entries));
  step("aggregatePrefixes", () => prefixes.aggregatePrefixes(entries));
  step("intersectPrefixes with 100 000", () => prefixes.intersectPrefixes(entries, inner));
  step("excludePrefixes of 100 000, whole", () => prefixes.excludePrefixes(entries, inner, { split: false }));
  process.stdout.write(JSON.stringify(steps));`;

const aggregateBy = (expression: string) => `
  const [room, file, result] = process.argv.slice(1);
  const { aggregatePrefixes, readPrefixFile } = require(room);
  const { closeSync, openSync, writeSync } = require("node:fs");
  const entries = ${expression};
  const handle = openSync(result, "w");
  let part = "";
  for (const prefix in entries) {
    part += prefix + "\\n";
    if (part.length > 65536) { writeSync(handle, part); part = ""; }
  }
  writeSync(handle, part);
  closeSync(handle);`;

const NETADDR = `
import sys, netaddr
with open(sys.argv[1]) as file, open(sys.argv[2], "w") as result:
    for prefix in netaddr.cidr_merge([line.strip() for line in file]): print(prefix, file=result)`;

/** Runs a program, and prints its seconds of the processor and its largest memory in MiB. */
const MEASURED = `
import os, resource, subprocess, sys
with open(sys.argv[1], "w") as result: subprocess.run(sys.argv[2:], stdout=result, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)`;

/** A list read, aggregated and written by programs that do the same: each must write as many prefixes as the first. */
function asideOthers(folder: string): Figure[] {
  const [file, result] = [join(folder, "unordered.txt"), join(folder, "result.txt")];
  writeFileSync(file, `${[...unordered()].join("\n")}\n`);
  const provider = join(__dirname, "../../provider");
  const ours = (expression: string) => [
    process.execPath,
    "-e",
    aggregateBy(expression),
    join(provider, "prefixes"),
    file,
    result,
  ];
  const programs: Readonly<Record<string, readonly string[]>> = {
    "iprange (Debian)": ["iprange", file],
    "prefixes aggregate": [process.execPath, join(provider, "cli.js"), "prefixes", "aggregate", file],
    "readPrefixFile with aggregate": ours("readPrefixFile(file, { aggregate: true })"),
    "readPrefixFile, aggregatePrefixes": ours("aggregatePrefixes(readPrefixFile(file))"),
    "netaddr (Python)": ["python3", "-c", NETADDR, file, result],
  };
  let first: { readonly cpu: number; readonly lines: number } | undefined;
  return Object.entries(programs).map(([name, command]): Figure => {
    const figure = { name: `unordered.txt, ${LINES} lines: ${name}`, unit: "s" };
    try {
      const out = join(folder, "out.txt");
      const measured = execFileSync("python3", ["-c", MEASURED, out, ...command], {
        stdio: ["ignore", "pipe", "ignore"],
      });
      const [cpu = 0, peak = 0] = String(measured).split(" ").map(Number);
      const lines = readFileSync(command.includes(result) ? result : out, "utf8").split("\n").length - 1;
      first ??= { cpu, lines };
      if (lines !== first.lines) throw new Error(`${name} wrote ${lines} prefixes, and the first ${first.lines}.`);
      return {
        ...figure,
        value: cpu,
        reference: `${(cpu / first.cpu).toFixed(1)} × the first, ${Math.round(peak)} MiB`,
      };
    } catch (error) {
      if (error instanceof Error && !("status" in error)) throw error;
      return { ...figure, value: Number.NaN, reference: "is not installed" };
    }
  });
}

/** `check` of a set, which each preview and each up runs twice. */
async function checkFigure(size: number): Promise<Figure> {
  const runtime = new Runtime({ env: {}, print: () => undefined });
  const config: Record<string, unknown> = { endpoint: "http://192.0.2.10", detectDrift: "off" };
  runtime.configure((key) => config[key]);
  const entries = Object.fromEntries(Array.from({ length: size }, (_, n) => [ipv4(n), 1 + (n % 7)]));
  const handler = new PrefixSetHandler(runtime);
  const value = await median(() => handler.check({}, { arena: "edge", set: "blocked", entries }));
  return { name: `PrefixSet: check of ${size} entries`, value, unit: "ms", reference: "" };
}

/** Seconds of the processor and the largest memory for files of a million lines, and for sets of a million entries. */
export async function prefixesFigures(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "packetfilter-bench-"));
  try {
    const beside = asideOthers(folder);
    const own = Object.entries(FILES).flatMap(([name, line]) => {
      const file = join(folder, name);
      write(file, line);
      const room = join(__dirname, "../../provider/prefixes");
      const output = execFileSync(process.execPath, ["-e", SCRIPT, room, file], { encoding: "utf8" });
      const steps: [step: string, ms: number, cpu: number, peak: number][] = JSON.parse(output);
      return steps.map(([step, , cpu, peak]) => ({
        name: `${name}, ${LINES} lines: ${step}`,
        value: cpu / 1_000,
        unit: "s",
        reference: `${Math.round(peak)} MiB at most until then`,
      }));
    });
    const report = await median(() => fileContent(REPORTED, "list", 0), { runs: 3, warmUp: 1 });
    return [
      ...beside,
      ...own,
      await checkFigure(10_000),
      { name: "report of a file of 100 000 entries", value: report, unit: "ms", reference: "" },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function write(file: string, line: (n: number) => string): void {
  const handle = openSync(file, "w");
  for (let n = 0; n < LINES; n += 10_000) {
    writeSync(handle, `${Array.from({ length: 10_000 }, (_, more) => line(n + more)).join("\n")}\n`);
  }
  closeSync(handle);
}
