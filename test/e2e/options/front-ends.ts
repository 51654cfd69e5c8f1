import { expect } from "vitest";
import { code, type Declared, FRONT_ENDS, type FrontEnd, resource } from "../support/front-ends";

/** Facts that a row looks at when its programs have run. */
export interface Seen {
  readonly frontEnd: FrontEnd;
  /** Content of the set `partners` after the second `up`. */
  readonly partners: Readonly<Record<string, unknown>>;
  /** Output of the first and the second `up`. */
  readonly first: string;
  readonly second: string;
  /** Commits of the second `up`, with the end of their urls. */
  readonly commits: readonly { readonly set: string; readonly inserted: object; readonly removed: object }[];
  /** Commits of the first `up`, by the entries that they inserted. */
  readonly created: readonly (readonly string[])[];
  /** Resources after the first and after the second `up`. */
  readonly states: readonly Readonly<
    Record<string, { urn: string; provider: string; outputs: Record<string, unknown> }>
  >[];
}

/** An option, shown by every front end in one program with all others. */
export interface Row {
  /** Resources of the first program and of the second. */
  readonly first?: (frontEnd: FrontEnd) => readonly Declared[];
  readonly second?: (frontEnd: FrontEnd) => readonly Declared[];
  /** Lines after the resources of the first program, in the language. */
  readonly more?: Readonly<Partial<Record<FrontEnd, string>>>;
  /** Looks at the outcome. */
  readonly shown?: (seen: Seen) => unknown;
  /** The outcome, everywhere or by front end. */
  readonly expected?: unknown;
  /** Options that a preview refuses before anything is sent, with the words of the refusal. */
  readonly refused?: {
    readonly options: Readonly<Record<string, unknown>>;
    readonly words: RegExp;
    /** The resource of the second program that has them, if it is no new one. */
    readonly of?: string;
    /** Default `preview`. */
    readonly in?: "up";
    /** Front ends that refuse it; all by default. */
    readonly by?: readonly FrontEnd[];
  };
  /** Front ends whose language has no such option: it refuses the name in the preview. */
  readonly unknownTo?: readonly FrontEnd[];
}

const PARTNERS = "prefixset://edge/partners";
const entry = (name: string, host: number, options?: object, more: object = {}): Declared => ({
  name,
  type: "PrefixSetEntry",
  args: { arena: "edge", set: "partners", prefix: address(host), ...more },
  ...(options && { options: { ...options } }),
});
const address = (host: number) => `203.0.113.${host}`;
const holds = (host: number) => (seen: Seen) => seen.partners[`${address(host)}/32`] ?? "nothing";
const inFrontEnds = (dynamic: unknown, plugin: unknown) => ({ dynamic, YAML: plugin, Python: plugin });
const always = (...declared: readonly Declared[]) => ({ first: () => declared, second: () => declared });
const inPlugin = (...declared: readonly Declared[]) => {
  const give = (frontEnd: FrontEnd) => (frontEnd === "dynamic" ? [] : declared);
  return { first: give, second: give };
};
const replaced = (name: string) => (seen: Seen) => new RegExp(`^ \\+- \\S+ ${name} replaced`, "m").test(seen.second);

/** Refuses to go on, before a create. */
export const HOOK: Readonly<Record<FrontEnd, string>> = {
  dynamic: "{ beforeCreate: [() => { throw new Error('not now'); }] }",
  YAML: "",
  Python: "pulumi.ResourceHookBinding(before_create=[pulumi.ResourceHook('refuses', lambda args: 1 / 0)])",
};

/** Doubles what `transforms` and `transformations` are given. */
const DOUBLED: Readonly<Record<FrontEnd, string>> = {
  dynamic: "({ props, opts }) => ({ props: { ...props, value: 2 }, opts })",
  YAML: "",
  Python: "lambda args: pulumi.{0}({**args.props, 'value': 2}, args.opts)",
};

/** By option of docs/guides/options-and-flags.md. */
export const ROWS: Readonly<Record<string, Row>> = {
  replacementTrigger: {
    first: () => [entry("triggered", 6, { replacementTrigger: 1 })],
    second: () => [entry("triggered", 6, { replacementTrigger: 2 })],
    shown: (seen) => [replaced("triggered")(seen), removedHosts(seen).includes(6)],
    expected: [true, false],
    unknownTo: ["YAML"],
  },
  replaceWith: {
    ...always(entry("follower", 7, { replaceWith: [resource("triggered")] })),
    shown: (seen) => [replaced("follower")(seen), removedHosts(seen).includes(7)],
    expected: [true, false],
    unknownTo: ["YAML"],
  },
  ignoreChanges: {
    first: () => [entry("frozen", 8, { ignoreChanges: ["value"] }, { value: 7 }), group(7)],
    second: () => [entry("frozen", 8, { ignoreChanges: ["value"] }, { value: 8 }), group(8)],
    shown: (seen) => [holds(8)(seen), holds(25)(seen), holds(26)(seen)],
    expected: [7, 8, 7],
    refused: {
      options: { ignoreChanges: ["valeu"] },
      words: /ignoreChanges valeu: there is no argument .valeu/,
      of: "frozen",
    },
  },
  transforms: {
    first: (frontEnd) => [
      entry("transformed", 12, { transforms: [code(doubled(frontEnd, "ResourceTransformResult"))] }),
    ],
    shown: ({ states }) => states[0]?.transformed?.outputs.value,
    expected: 2,
    unknownTo: ["YAML"],
  },
  transformations: {
    first: (frontEnd) => [
      entry("formerly", 13, { transformations: [code(doubled(frontEnd, "ResourceTransformationResult"))] }),
    ],
    shown: ({ states }) => states[0]?.formerly?.outputs.value,
    expected: 2,
    unknownTo: ["YAML"],
  },
  additionalSecretOutputs: {
    ...always(entry("hidden", 14, { additionalSecretOutputs: ["value"] }, { value: 5 })),
    shown: ({ states }) => typeof states[0]?.hidden?.outputs.value,
    expected: "object",
  },
  hideDiffs: {
    first: () => [entry("quiet", 15, { hideDiffs: ["value"] }, { value: 1 })],
    second: () => [entry("quiet", 15, { hideDiffs: ["value"] }, { value: 3 })],
    shown: holds(15),
    expected: 3,
  },
  customTimeouts: {
    second: () => [
      {
        name: "slow",
        type: "CloudSignaling",
        args: { prefixes: ["198.51.100.7"] },
        options: { customTimeouts: { create: "1s" } },
      },
    ],
    shown: ({ second }) => /The program gives this operation 1 s \(customTimeouts\)/.test(second),
    expected: inFrontEnds(false, true),
  },
  version: {
    ...always(entry("versioned", 17, { version: "1.2.3" })),
    shown: (seen) => [holds(17)(seen), /is expected to have version >=1\.2\.3/.test(seen.first)],
    expected: inFrontEnds([1, false], [1, true]),
  },
  pluginDownloadURL: {
    ...always(entry("downloaded", 18, { pluginDownloadURL: "https://plugins.example.net" })),
    shown: holds(18),
    expected: 1,
  },
  stateMigrations: {
    ...always(entry("migrated", 19, { stateMigrations: [] })),
    shown: holds(19),
    expected: 1,
    unknownTo: ["YAML", "Python"],
  },
  providers: {
    ...inPlugin(entry("provided", 20, { providers: [] })),
    more: {
      dynamic: `
        const own = new pf.Provider("of-site", { endpoint: new pulumi.Config("packetfilter").require("endpoint") });
        const site = new pulumi.ComponentResource("test:index:Site", "site", {}, { providers: [own] });
        new pf.PrefixSetEntry("sited", { arena: "edge", set: "partners", prefix: "${address(24)}" }, { parent: site });`,
      Python: `
own = packetfilter.Provider("of-site", endpoint=pulumi.Config("packetfilter").require("endpoint"))
site = pulumi.ComponentResource("test:index:Site", "component", {}, pulumi.ResourceOptions(providers=[own]))
packetfilter.PrefixSetEntry("sited", arena="edge", set="partners", prefix="${address(24)}", opts=pulumi.ResourceOptions(parent=site))
`,
    },
    shown: (seen) => [holds(20)(seen), seen.states[0]?.sited?.provider.includes("::of-site::")],
    expected: { dynamic: ["nothing", true], YAML: [1, undefined], Python: [1, true] },
    refused: {
      options: { providers: [] },
      words: /Do not supply 'providers' option to a CustomResource/,
      by: ["dynamic"],
    },
  },
  provider: {
    refused: { options: { provider: resource("own") }, words: /No node is given/ },
  },
  // No preview calls them.
  hooks: {
    refused: { options: { hooks: code("HOOK") }, words: /RegisterResourceHook|before hook "refuses" failed/, in: "up" },
    unknownTo: ["YAML"],
  },
  envVarMappings: {
    refused: {
      options: { envVarMappings: { A: "B" } },
      words: /envVarMappings can only be used with provider resources/i,
    },
    unknownTo: ["YAML"],
  },
  id: {
    ...always(entry("known", 21, { id: `${PARTNERS}#${address(21)}/32` }), {
      name: "known-set",
      type: "PrefixSet",
      args: { arena: "edge", set: "partners", entries: {} },
      options: { id: PARTNERS },
    }),
    shown: ({ states: [first], created }) => [
      first?.known?.outputs.value ?? 1,
      Object.entries(first?.["known-set"]?.outputs.entries ?? {}).filter(([, value]) => value === 4).length,
      created.flat().includes(`${address(21)}/32`),
    ],
    expected: [4, 2, false],
    unknownTo: ["YAML"],
  },
  urn: {
    first: () => [entry("named", 1)],
    more: {
      dynamic: `
        r_named.urn.apply((urn) => {
          const place = { arena: "edge", set: "partners" };
          const again = new pf.PrefixSetEntry("again", { ...place, prefix: "${address(99)}" }, { urn });
          new pf.PrefixSetEntry("of-urn", { ...place, prefix: "${address(23)}", ticket: again.prefix });
        });`,
      Python: `
def again(urn):
    again = packetfilter.PrefixSetEntry("again", arena="edge", set="partners", prefix="${address(99)}", opts=pulumi.ResourceOptions(urn=urn))
    packetfilter.PrefixSetEntry("of-urn", arena="edge", set="partners", prefix="${address(23)}", ticket=again.prefix)
r_named.urn.apply(again)
`,
    },
    shown: (seen) => [seen.states[0]?.["of-urn"]?.outputs.ticket, seen.created.flat().includes(`${address(99)}/32`)],
    expected: [`${address(1)}/32`, false],
    refused: { options: { urn: "urn:pulumi:test::journey::a:b:C::none" }, words: /none/ },
    unknownTo: ["YAML"],
  },
  import: {
    ...inPlugin(entry("imported", 22, { import: `${PARTNERS}#${address(22)}/32` }, { value: 4 })),
    shown: (seen) => [
      Object.keys(seen.states[0] ?? {}).includes("imported"),
      seen.created.flat().includes(`${address(22)}/32`),
    ],
    expected: inFrontEnds([false, false], [true, false]),
    refused: {
      options: { import: "x" },
      words: /the option "import" cannot work with dynamic resources/,
      by: ["dynamic"],
    },
  },
};

/** A group of the node `n1`, of which the program ignores one entry, in its own spelling. */
function group(value: number): Declared {
  const entries = { [address(25)]: value, [address(26)]: value };
  const args = { arena: "edge", set: "partners", exclusive: false, nodes: ["n1"], entries };
  return {
    name: "grouped",
    type: "PrefixSetGroup",
    args,
    options: { ignoreChanges: [`entries["${address(26)}"]`] },
  };
}

function doubled(frontEnd: FrontEnd, result: string): string {
  return DOUBLED[frontEnd].replace("{0}", result);
}

function removedHosts({ commits }: Seen): number[] {
  return commits
    .flatMap(({ removed }) => Object.keys(removed))
    .map((prefix) => Number(/\.(\d+)\/32$/.exec(prefix)?.[1]));
}

/** The words of a row of the page: the tests that show it. */
export function shownBy(option: string, journey: string | undefined): string {
  const row = ROWS[option];
  const lacks = row?.unknownTo ? `, not in ${row.unknownTo.join(" or ")}` : "";
  return [...(row ? [`front ends${lacks}`] : []), ...(journey === undefined ? [] : [journey])].join("; ");
}

/** The outcome of a row by a front end. */
function expectedIn({ expected }: Row, frontEnd: FrontEnd): unknown {
  const isByFrontEnd = typeof expected === "object" && expected !== null && FRONT_ENDS.every((one) => one in expected);
  return isByFrontEnd ? (expected as Record<FrontEnd, unknown>)[frontEnd] : expected;
}

/** Compares all rows at once, so that one run tells of each. */
export function compareRows(seen: Seen): void {
  const own = Object.entries(ROWS).filter(([, row]) => row.shown && !row.unknownTo?.includes(seen.frontEnd));
  const found = own.map(([option, row]) => [option, row.shown?.(seen)]);
  const expected = own.map(([option, row]) => [option, expectedIn(row, seen.frontEnd)]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
}
