import type { ResourceValidationPolicy, StackValidationPolicy } from "@pulumi/policy";
import { rules } from "../../policies/all-rules";
import { parsePolicyConfig } from "../../policies/config/load";
import { policiesOf } from "../../policies/pulumi/policies";
import { type Figure, median } from "./figure";

const ENTRIES = 10_000;
const TYPE = "pulumi-nodejs:dynamic/packetfilter:PrefixSet";

const config = parsePolicyConfig(
  {
    sets: [{ pattern: "prefixset://*/blocked", role: "block", direction: "source" }],
    ownedPrefixes: ["203.0.113.0/24", "2001:db8:ffff::/48"],
    managementPrefixes: ["192.0.2.0/24"],
    productionStacks: ["bench"],
    rules: {
      "allowed-values": { allowed: [{ values: [1, 2] }] },
      "special-purpose": { block: ["Benchmarking", "Documentation"] },
      "organisation-rails": { rails: [{ forbiddenPrefixes: ["203.0.113.0/24"] }] },
    },
  },
  rules,
);

/** Entries of both families, of lengths 24 to 32 and 48 to 64, nested in part; no run sees the texts of another. */
function entries(run: number): [string, number][] {
  return Array.from({ length: ENTRIES }, (_, n) => {
    const [high, low] = [(n >> 8) & 0xff, n & 0xff];
    if (n % 4 === 3) return [`2001:db8:${(run * 64 + high).toString(16)}:${low ? low.toString(16) : "1"}00::/56`, 1];
    return n % 4 === 2
      ? [`198.${18 + (run % 2)}.${high}.${low}/32`, 1]
      : [`10.${(run * 40 + high) % 256}.${low}.0/${24 + (n % 2)}`, 2];
  });
}

// Exported for tests, but not declared.
const { unknownCheckingProxy } = require("@pulumi/policy/proxy") as {
  unknownCheckingProxy(properties: object): Record<string, unknown>;
};

/** The properties as `@pulumi/policy` hands them to each policy: a copy of its own, behind a proxy. */
function copy(properties: object): Record<string, unknown> {
  return unknownCheckingProxy(structuredClone(properties));
}

/** Processor time of this thread in milliseconds: what others do on the machine does not count. */
function cpu(): number {
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1_000;
}

/** Time for the whole pack to judge one set of 10 000 entries, resource policies and stack policies together. */
export async function policiesFigures(): Promise<Figure[]> {
  let run = 0;
  const reported: string[] = [];
  const timings: number[] = [];
  const judge = () => {
    run++;
    const pairs = entries(run);
    const notes = Object.fromEntries(
      pairs.map(([prefix]) => [prefix, '{"reason":"SYN flood","expires":"2026-02-01T00:00:00Z"}']),
    );
    const properties = { arena: "edge", set: "blocked", entries: Object.fromEntries(pairs), notes, maxRemovals: "20%" };
    const policies = policiesOf(rules, { config, now: new Date("2026-01-15T00:00:00Z"), environment: {} });
    const urn = `urn:pulumi:bench::infra::${TYPE}::blocked`;
    const copies = policies.map(() => copy(properties));
    const report = (message: unknown) => void reported.push(String(message));
    const shared = {
      type: TYPE,
      urn,
      name: "blocked",
      opts: { protect: true },
      getConfig: () => ({}),
      stackTags: new Map(),
    };
    const isType = ({ __pulumiType }: { __pulumiType?: string }) => __pulumiType === TYPE;
    // The copies are not the work of the rules, and neither is what they leave behind.
    globalThis.gc?.();
    const start = cpu();
    policies.forEach((policy, index) => {
      const props = copies[index] as Record<string, unknown>;
      if ("validateStack" in policy) {
        const resource = { ...shared, props, isType };
        (policy as StackValidationPolicy).validateStack({ ...shared, resources: [resource] } as never, report as never);
        return;
      }
      const { validateResource } = policy as ResourceValidationPolicy;
      const args = {
        ...shared,
        props,
        isType,
        notApplicable: () => undefined,
      };
      if (typeof validateResource === "function") validateResource(args as never, report as never);
    });
    timings.push(cpu() - start);
  };
  await median(judge);
  const [first = 0, ...rest] = timings;
  const warm = rest.slice(2).sort((a, b) => a - b);
  return [
    {
      name: `${rules.length} rules, ${ENTRIES} entries never seen before`,
      value: warm[warm.length >> 1] ?? 0,
      unit: "ms",
      reference: "goal: 100",
    },
    { name: "the same, the first time in a process", value: first, unit: "ms", reference: "goal: 100" },
    { name: "the slowest of them", value: Math.max(...timings), unit: "ms", reference: "" },
  ];
}
