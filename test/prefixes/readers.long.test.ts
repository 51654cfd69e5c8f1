import fc from "fast-check";
import { expect, test } from "vitest";
import { PrefixFileError, parsePrefixes } from "../../provider/prefixes";

/** An IPv4 network of the documentation ranges, as its first address and length. */
const network = fc
  .tuple(fc.constantFrom("192.0.2", "198.51.100", "203.0.113"), fc.nat(255), fc.integer({ min: 24, max: 32 }))
  .map(([block, host, length]) => ({ block, first: host - (host % 2 ** (32 - length)), length }));
type Network = { readonly block: string; readonly first: number; readonly length: number };

const address = ({ block, first }: Network) => `${block}.${first}`;
const last = ({ block, first, length }: Network) => `${block}.${first + 2 ** (32 - length) - 1}`;
const cidr = (one: Network) => `${address(one)}/${one.length}`;
const mask = ({ length }: Network) => `255.255.255.${256 - 2 ** (32 - length)}`;
const model = (list: readonly Network[]) => new Set(list.map(cidr));

const row = (head: readonly string[], of: (one: Network) => readonly (string | number)[], separator = ",") => ({
  write: (list: readonly Network[]) => [head.join(separator), ...list.map((one) => of(one).join(separator))].join("\n"),
});
const records = (of: (one: Network) => object) => ({
  write: (list: readonly Network[]) => JSON.stringify(list.map(of)),
});
const lines = (of: (one: Network) => string, begin: readonly string[] = []) => ({
  write: (list: readonly Network[]) => [...begin, ...list.map(of)].join("\n"),
});

/** Ways of writing a list. What they mean is known; some are not read, and none may be read as anything else. */
const FORMS = {
  text: lines(cidr),
  "text with values": lines((one) => `${cidr(one)} 1`),
  ranges: lines((one) => `${address(one)}-${last(one)}`),
  "address and length": lines((one) => `${address(one)} ${one.length}`),
  "address and netmask": lines((one) => `${address(one)} ${mask(one)}`),
  "address; length": lines((one) => `${address(one)};${one.length}`),
  csv: row(["prefix", "note"], (one) => [cidr(one), "x"]),
  "csv with a netmask": row(["network", "netmask"], (one) => [address(one), mask(one)]),
  "csv with a length": row(["ip", "prefix_length"], (one) => [address(one), one.length]),
  "csv with an end": row(["start_ip", "end_ip"], (one) => [address(one), last(one)]),
  "csv with a strange length": row(["ip", "size"], (one) => [address(one), one.length], ";"),
  "csv with a strange end": row(["address", "till"], (one) => [address(one), last(one)]),
  "csv of three": row(["first", "last", "bits"], (one) => [address(one), last(one), one.length]),
  "csv without a head": lines((one) => `${address(one)},${one.length}`),
  json: records((one) => ({ cidr: cidr(one), note: "x" })),
  "json with a mask": records((one) => ({ address: address(one), mask: one.length })),
  "json with a strange length": records((one) => ({ ip: address(one), width: String(one.length) })),
  "json with two names": records((one) => ({ prefix: address(one), cidr: cidr(one) })),
  "json by prefix": {
    write: (list: readonly Network[]) =>
      JSON.stringify(Object.fromEntries(list.map((one) => [address(one), one.length]))),
  },
  ipset: lines((one) => `add blocked ${cidr(one)}`, ["create blocked hash:net family inet"]),
  "prefix-list": lines((one) => `ip prefix-list NN permit ${cidr(one)}`),
  routeros: lines((one) => `add address=${cidr(one)} list=blocked`, ["/ip firewall address-list"]),
  p2p: lines((one) => `Example, one:${address(one)}-${last(one)}`),
  "number in a comment": {
    write: (list: readonly Network[]) => [`# Entries: ${list.length}`, ...list.map(cidr)].join("\n"),
  },
  "closing record": {
    write: (list: readonly Network[]) =>
      [...list.map((one) => ({ cidr: cidr(one), sblid: "SBL1" })), { type: "metadata", records: list.length }]
        .map((one) => JSON.stringify(one))
        .join("\n"),
  },
} as const;
/** Forms that announce their number: one of them without some lines is refused. */
const COUNTED = new Set<string>(["number in a comment", "closing record"]);
/** Forms whose meaning is clear: these are read. */
const READ = Object.keys(FORMS).filter((name) => !/strange|two names|without a head|by prefix|address[ ;]/.test(name));

function read(text: string): Set<string> | "refused" {
  try {
    return new Set(Object.keys(parsePrefixes(text)));
  } catch (error) {
    if (error instanceof PrefixFileError) return "refused";
    throw error;
  }
}

const list = fc.uniqueArray(network, { minLength: 2, maxLength: 12, selector: address });
const form = fc.constantFrom(...(Object.keys(FORMS) as (keyof typeof FORMS)[]));

test("a list in any form is read as what it means, or refused", () => {
  fc.assert(
    fc.property(list, form, (all, name) => {
      const found = read(FORMS[name].write(all));
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
        .map((all) => FORMS[name as keyof typeof FORMS].write(all))
        .join("\n")
        .split("\n");
      expect(read(text.join("\n"))).toEqual(model([...one, ...two]));
      // Lines before the first number in a comment have none of their own.
      fc.pre(name === "closing record" || at % text.length !== 0);
      expect(read(text.toSpliced(at % text.length, 1).join("\n"))).toBe("refused");
    }),
    { numRuns: 5_000 },
  );
});
