import fc from "fast-check";
import { expect, test } from "vitest";
import { aggregatePrefixes, PrefixFileError, type PrefixFileOptions, parsePrefixes } from "../../provider/prefixes";

/** A network of the documentation ranges, with eight bits that it may leave free. */
const network = fc
  .tuple(
    fc.constantFrom("192.0.2.", "198.51.100.", "203.0.113.", "2001:db8::", "2001:db8:0:1::", "2001:db8:a:b:c:d:e:"),
    fc.nat(255),
    fc.nat(8),
  )
  .map(([block, host, free]) => ({ block, first: host - (host % 2 ** free), free }));
type Network = { readonly block: string; readonly first: number; readonly free: number };

const isV6 = ({ block }: Network) => block.includes(":");
const at = (one: Network, host: number) => {
  if (!isV6(one)) return `${one.block}${host}`;
  return one.block.endsWith("::") && host === 0 ? one.block : `${one.block}${host.toString(16)}`;
};
const address = (one: Network) => at(one, one.first);
const last = (one: Network) => at(one, one.first + 2 ** one.free - 1);
const lengthOf = (one: Network) => (isV6(one) ? 128 : 32) - one.free;
const cidr = (one: Network) => `${address(one)}/${lengthOf(one)}`;
/** IPv6 has no netmasks: another kind of length stands in their column. */
const mask = (one: Network) => (isV6(one) ? lengthOf(one) : `255.255.255.${256 - 2 ** one.free}`);
const model = (list: readonly Network[]) => new Set(list.map(cidr));

type Write = (list: readonly Network[]) => string;
const row =
  (head: readonly string[], of: (one: Network) => readonly (string | number)[], separator = ","): Write =>
  (list) =>
    [head.join(separator), ...list.map((one) => of(one).join(separator))].join("\n");
const document =
  (of: (list: readonly Network[]) => unknown): Write =>
  (list) =>
    JSON.stringify(of(list));
const records = (of: (one: Network) => object): Write => document((list) => list.map(of));
const lines =
  (of: (one: Network) => string, begin: readonly string[] = []): Write =>
  (list) =>
    [...begin, ...list.map(of)].join("\n");
const byFamily = (list: readonly Network[]) => ({
  v4: list.filter((one) => !isV6(one)),
  v6: list.filter(isV6),
});

/** Ways of writing a list. What they mean is known; some are not read, and none may be read as anything else. */
const FORMS: Readonly<Record<string, Write>> = {
  text: lines(cidr),
  "text with values": lines((one) => `${cidr(one)} 1`),
  ranges: lines((one) => `${address(one)}-${last(one)}`),
  "address and length": lines((one) => `${address(one)} ${lengthOf(one)}`),
  "address and netmask": lines((one) => `${address(one)} ${mask(one)}`),
  "address; length": lines((one) => `${address(one)};${lengthOf(one)}`),
  csv: row(["prefix", "note"], (one) => [cidr(one), "x"]),
  "csv with a netmask": row(["network", "netmask"], (one) => [address(one), mask(one)]),
  "csv with a length": row(["ip", "prefix_length"], (one) => [address(one), lengthOf(one)]),
  "csv with an end": row(["start_ip", "end_ip"], (one) => [address(one), last(one)]),
  "csv with a strange length": row(["ip", "size"], (one) => [address(one), lengthOf(one)], ";"),
  "csv with a strange end": row(["address", "till"], (one) => [address(one), last(one)]),
  "csv of three": row(["first", "last", "bits"], (one) => [address(one), last(one), lengthOf(one)]),
  "csv without a head": lines((one) => `${address(one)},${lengthOf(one)}`),
  tsv: row(["prefix", "note"], (one) => [cidr(one), "x"], "\t"),
  "tsv with a length": row(["note", "ip", "mask"], (one) => ["x", address(one), lengthOf(one)], "\t"),
  "tsv with an end": row(["start_ip", "end_ip", "note"], (one) => [address(one), last(one), "x"], "\t"),
  "tsv with a strange length": row(["ip", "size"], (one) => [address(one), lengthOf(one)], "\t"),
  "tsv without a head": lines((one) => `${address(one)}\t${lengthOf(one)}`),
  "csv with two prefixes": row(["prefix", "cidr"], (one) => [cidr(one), "192.0.2.0/23"]),
  yaml: lines((one) => `- "${cidr(one)}"`),
  "yaml with values": lines((one) => `"${cidr(one)}": 1`),
  "yaml with a length": lines((one) => `- ip: "${address(one)}"\n  prefix_length: ${lengthOf(one)}`),
  "yaml with an end": lines((one) => `- { start_ip: "${address(one)}", end_ip: "${last(one)}" }`, ["---"]),
  "yaml with a strange length": lines((one) => `- ip: "${address(one)}"\n  width: ${lengthOf(one)}`),
  "yaml with two names": lines((one) => `- { prefix: "${address(one)}", cidr: "${cidr(one)}" }`),
  "yaml by prefix": lines((one) => `"${address(one)}": ${lengthOf(one)}`),
  json: records((one) => ({ cidr: cidr(one), note: "x" })),
  "json with a mask": records((one) => ({ address: address(one), mask: lengthOf(one) })),
  "json with a strange length": records((one) => ({ ip: address(one), width: String(lengthOf(one)) })),
  "json with two names": records((one) => ({ prefix: address(one), cidr: cidr(one) })),
  "json by prefix": document((list) => Object.fromEntries(list.map((one) => [address(one), lengthOf(one)]))),
  ipset: lines((one) => `add blocked ${cidr(one)}`, ["create blocked hash:net family inet6"]),
  "prefix-list": lines((one) => `${isV6(one) ? "ipv6" : "ip"} prefix-list NN permit ${cidr(one)}`),
  routeros: lines((one) => `add address=${cidr(one)} list=blocked`, ["/ip firewall address-list"]),
  p2p: lines((one) => `Example, one:${address(one)}-${last(one)}`),
  ndjson: lines((one) => JSON.stringify({ prefix: cidr(one), note: "x" })),
  "ndjson with an end": lines((one) => JSON.stringify({ first: address(one), last: last(one) })),
  "ndjson with a strange length": lines((one) => JSON.stringify({ ip: address(one), size: lengthOf(one) })),
  "text with blanks": lines((one) => `  ${cidr(one)}\t# x`),
  "text with strange words": lines((one) => `${cidr(one)} permit`),
  "spaced ranges": lines((one) => `${address(one)} - ${last(one)}`),
  "json of texts": document((list) => list.map(cidr)),
  "json with entries": document((list) => Object.fromEntries(list.map((one) => [cidr(one), { reason: "x" }]))),
  "roas by records": document((list) => ({
    metadata: { buildtime: "x" },
    roas: list.map((one) => ({ asn: "AS64496", prefix: cidr(one), maxLength: lengthOf(one), ta: "x" })),
  })),
  "csv without a head, named": lines((one) => `x,${address(one)},${lengthOf(one)}`),
  "csv without a head, strange names": lines((one) => `x,${address(one)},${lengthOf(one)}`),
  "access list, strange": lines((one) => `access-list 10 permit ${address(one)} 0.0.0.${2 ** one.free - 1}`),
  "elements of nft, strange": (list) => `set blocked {\n  elements = { ${list.map(cidr).join(", ")} }\n}`,
  "nft -j, strange": document((list) => ({ nftables: [{ set: { elem: list.map(cidr) } }] })),
  "ranges of integers, strange": lines(
    (one) => `"${3_221_225_984 + one.first}","${3_221_225_984 + one.first + 2 ** one.free - 1}","ZZ"`,
  ),
  "delegated, strange": lines((one) => `ripencc|ZZ|ipv4|${address(one)}|${2 ** one.free}|20260101|assigned`),
  "stix, strange": document((list) => ({
    type: "bundle",
    objects: list.map((one) => ({ type: "indicator", pattern: `[ipv4-addr:value = '${cidr(one)}']` })),
  })),
  "misp, strange": document((list) => ({
    Event: { Attribute: list.map((one) => ({ type: "ip-src", value: cidr(one) })) },
  })),
  "ipset without some, strange": lines((one) => `add blocked ${cidr(one)} nomatch`),
  "prefix-list with a range, strange": lines((one) => `ip prefix-list NN permit ${cidr(one)} le 32`),
  "routeros, disabled, strange": lines((one) => `add address=${cidr(one)} list=blocked disabled=yes`),
  "drop.txt": lines((one) => `${cidr(one)} ; SBL1`),
  dshield: lines(
    (one) => `${address(one)}\t${last(one)}\t${lengthOf(one)}\t1\tx`,
    ["Start\tEnd\tNetblock\tAttacks\tName"],
  ),
  feodo: records((one) => ({ ip_address: cidr(one), port: 443, status: "online" })),
  aws: document((list) => {
    const { v4, v6 } = byFamily(list);
    return {
      prefixes: v4.map((one) => ({ ip_prefix: cidr(one), service: "EC2" })),
      ipv6_prefixes: v6.map((one) => ({ ipv6_prefix: cidr(one) })),
    };
  }),
  google: document((list) => ({
    syncToken: "1",
    prefixes: list.map((one) => ({ [isV6(one) ? "ipv6Prefix" : "ipv4Prefix"]: cidr(one) })),
  })),
  azure: document((list) => ({
    changeNumber: 1,
    values: [{ name: "x", properties: { region: "", addressPrefixes: list.map(cidr) } }],
  })),
  cloudflare: document((list) => {
    const { v4, v6 } = byFamily(list);
    return {
      result: { ipv4_cidrs: v4.map(cidr), ipv6_cidrs: v6.map(cidr), etag: "x" },
      success: true,
      errors: [],
      messages: [],
    };
  }),
  fastly: document((list) => {
    const { v4, v6 } = byFamily(list);
    return { addresses: v4.map(cidr), ipv6_addresses: v6.map(cidr) };
  }),
  github: document((list) => ({
    verifiable_password_authentication: true,
    ssh_keys: ["ssh-ed25519 AAAA"],
    hooks: list.map(cidr),
  })),
  oracle: document((list) => ({
    last_updated_timestamp: "x",
    regions: [{ region: "x", cidrs: list.map((one) => ({ cidr: cidr(one), tags: ["OCI"] })) }],
  })),
  crowdsec: document((list) => [
    { id: 1, decisions: list.map((one) => ({ value: cidr(one), scope: "Range", type: "ban", duration: "4h" })) },
  ]),
  "number in a comment": (list) => [`# Entries: ${list.length}`, ...list.map(cidr)].join("\n"),
  "closing record": (list) =>
    [...list.map((one) => ({ cidr: cidr(one), sblid: "SBL1" })), { type: "metadata", records: list.length }]
      .map((one) => JSON.stringify(one))
      .join("\n"),
};
/** Options without which a form has no meaning. */
const OPTIONS: { readonly [name: string]: PrefixFileOptions } = {
  "roas by records": { records: "roas" },
  "csv without a head, named": { format: "csv", columns: { prefix: 1, prefixLength: 2 } },
  "csv without a head, strange names": { format: "csv", columns: { prefix: 1 } },
  dshield: { format: "txt" },
};
/** Forms that announce their number: one of them without some lines is refused. */
const COUNTED = new Set<string>(["number in a comment", "closing record"]);
/** Forms whose meaning is clear: these are read. */
const READ = Object.keys(FORMS).filter(
  (name) => !/strange|two names|two prefixes|without a head$|by prefix|p2p|address[ ;]/.test(name),
);

/**
 * Reads a list as the file that its form names: of TSV, nothing but the name shows the format. Reading and aggregating in one
 * step must give what both give, or refuse alike.
 */
function read(text: string, form: string): Set<string> | "refused" {
  const [, extension] = /^(tsv|yaml)/.exec(form) ?? [];
  const options = { ...OPTIONS[form], ...(extension !== undefined && { file: `list.${extension}` }) };
  const entries = attempt(() => parsePrefixes(text, options));
  const fewest = attempt(() => parsePrefixes(text, { ...options, aggregate: true }));
  expect(fewest).toEqual(entries === "refused" ? "refused" : aggregatePrefixes(entries));
  return entries === "refused" ? "refused" : new Set(Object.keys(entries));
}

function attempt<T>(work: () => T): T | "refused" {
  try {
    return work();
  } catch (error) {
    if (error instanceof PrefixFileError) return "refused";
    throw error;
  }
}

const list = fc.uniqueArray(network, { minLength: 2, maxLength: 12, selector: address });
const form = fc.constantFrom(...Object.keys(FORMS));
/** A list in one of the forms. */
const written = (all: readonly Network[], name: string) => (FORMS[name] as Write)(all);

test("a list in any form is read as what it means, or refused", () => {
  fc.assert(
    fc.property(list, form, (all, name) => {
      const found = read(written(all, name), name);
      if (READ.includes(name)) expect(found).toEqual(model(all));
      else if (found !== "refused") expect(found).toEqual(model(all));
    }),
    { numRuns: 20_000 },
  );
});

test("two lists that announce their numbers, and lack a line, are refused", () => {
  fc.assert(
    fc.property(list, list, fc.constantFrom(...COUNTED), fc.nat(), (one, two, name, at) => {
      const text = [one, two]
        .map((all) => written(all, name))
        .join("\n")
        .split("\n");
      expect(read(text.join("\n"), name)).toEqual(model([...one, ...two]));
      // Lines before the first number in a comment have none of their own.
      fc.pre(name === "closing record" || at % text.length !== 0);
      expect(read(text.toSpliced(at % text.length, 1).join("\n"), name)).toBe("refused");
    }),
    { numRuns: 5_000 },
  );
});
