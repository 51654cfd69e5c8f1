import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Figure } from "./figure";

const LINES = 1_000_000;

/** A /24, none of which touches another with the same content. */
const ipv4 = (n: number) => `${20 + (n >>> 16)}.${(n >>> 8) & 255}.${n & 255}.0/24`;
const ipv6 = (n: number) => `2001:db8:${(n >>> 16).toString(16)}:${(n & 0xffff).toString(16)}::/64`;

const FILES: Readonly<Record<string, (n: number) => string>> = {
  "ipv4.txt": ipv4,
  "ipv6.txt": ipv6,
  "list.csv": (n) => (n === 0 ? "prefix,value,reason" : `${ipv4(n)},${n % 7},"SYN flood, wave ${n % 100}"`),
  "list.ndjson": (n) => `{"cidr":"${ipv4(n)}","reason":"SBL${n}"}`,
};

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

/** Seconds of the processor and the largest memory for files of a million lines, and for sets of a million entries. */
export async function prefixesFigures(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "packetfilter-bench-"));
  try {
    return Object.entries(FILES).flatMap(([name, line]) => {
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
