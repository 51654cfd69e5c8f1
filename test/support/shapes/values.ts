import { join } from "node:path";
import { bareOf, integerOf, type NodeShape, netmaskOf, partsOf, rangeOf, textOf } from "./shape";

const hex = (number: unknown) => `0x${Number(number).toString(16).toUpperCase()}`;
const octets = (address: string) => address.split(".").map(Number);
const own = (name: string) => join(__dirname, "readers", `${name}.cjs`);

/** Nodes that differ in how an element is written. */
export const VALUES: Record<string, NodeShape> = {
  "usual long names": {
    entry: (prefix, value) => ({ prefix, value, comment: "by hand", age: 3 }),
    mark: ({ address, id, value, lifetime }) => ({ address, rule_id: id, value, expires_in: lifetime }),
  },
  "a firewall's names": {
    entry: (cidr, val) => ({ cidr, val }),
    rule: (ID, NAME) => ({ ID, NAME }),
    mark: ({ address, id, value, lifetime }) => ({ SRC: address, RULE_ID: id, VAL: value, LEFT: lifetime }),
  },
  "names of its own": {
    entry: (subnet, weight) => ({ subnet, weight, value: "?" }),
    profile: (title) => ({ title }),
    rule: (no, title) => ({ no, title }),
    mark: ({ address, id, value, lifetime }) => ({ host: address, no: id, weight: value, secs: lifetime }),
    settings: {
      answers: {
        names: {
          prefix: "subnet",
          value: "weight",
          name: "title",
          id: "no",
          address: "host",
          lifetime: "secs",
        },
      },
    },
  },
  "address and length apart": {
    entry: (prefix, value) => ({ ip: partsOf(prefix)[0], len: partsOf(prefix)[1], value }),
  },
  "C: address and netmask": {
    isIpv4: true,
    entry: (prefix, val) => ({ addr: partsOf(prefix)[0], netmask: netmaskOf(prefix), val }),
  },
  "a netmask behind the slash": {
    isIpv4: true,
    entry: (prefix, v) => ({ p: `${partsOf(prefix)[0]}/${netmaskOf(prefix)}`, v }),
  },
  "C: addresses as integers": {
    isIpv4: true,
    entry: (prefix, v) => ({ ip: integerOf(partsOf(prefix)[0]), bits: partsOf(prefix)[1], v }),
    mark: ({ address, id, value, lifetime }) => ({ ip: integerOf(address), id, v: value, t: lifetime }),
  },
  "C: everything in hexadecimal": {
    isIpv4: true,
    entry: (prefix, v) => ({ ip: hex(integerOf(partsOf(prefix)[0])), bits: hex(partsOf(prefix)[1]), v: hex(v) }),
    mark: ({ address, id, value, lifetime }) => ({
      ip: hex(integerOf(address)),
      id: hex(id),
      v: hex(value),
      t: hex(lifetime),
    }),
  },
  "Erlang: octets and a length in a tuple": {
    isIpv4: true,
    entry: (prefix, v) => [octets(partsOf(prefix)[0]), partsOf(prefix)[1], v],
    mark: ({ address, id, value, lifetime }) => [octets(address), id, value, lifetime],
    settings: {
      answers: {
        columns: {
          prefixset: { prefix: 0, prefixLength: 1, value: 2 },
          marks: { address: 0, id: 1, value: 2, lifetime: 3 },
        },
      },
    },
  },
  "Perl: all numbers are texts": {
    entry: (p, v) => ({ p, v: String(v) }),
    rule: (id, name) => ({ id: String(id), name }),
    mark: ({ address, id, value, lifetime }) => ({ a: address, id: `${id}`, v: `${value}`, t: `${lifetime}` }),
  },
  "pairs of prefix and value": { entry: (prefix, value) => [prefix, value] },
  "rows with more fields than we know": {
    entry: (prefix, value, index) => [index, prefix, "by hand", value],
    mark: ({ address, id, value, lifetime }) => ["shost", address, id, value, lifetime],
    settings: {
      answers: {
        columns: { prefixset: { prefix: 1, value: 3 }, marks: { address: 1, id: 2, value: 3, lifetime: 4 } },
      },
    },
    reads: {
      marks: [
        { address: "203.0.113.9", id: 30, value: 1234, lifetime: 60, extra: { "column 0": "shost" } },
        { address: "2001:db8::7", id: 31, value: 5, lifetime: 3600, extra: { "column 0": "shost" } },
      ],
    },
  },
  "prefixes alone": {
    isFlat: true,
    entry: (prefix) => prefix,
    profile: (name) => name,
    rule: (id, name) => `${id}: ${name}`,
    reads: { rules: [{ extra: { text: "30: syn-flood" } }, { extra: { text: "31: count-all" } }] },
  },
  "single addresses without a length": {
    entry: (prefix, v) => ({ p: bareOf(prefix), v }),
    mark: ({ address, id, value, lifetime }) => ({
      p: `${address}/${address.includes(":") ? 128 : 32}`,
      id,
      v: value,
      t: lifetime,
    }),
  },
  "Java: IPv6 in full, in capitals": {
    entry: (prefix, value) => ({ Network: prefix.replace("2001:db8::", "2001:DB8:0:0:0:0:0:0"), Value: value }),
    mark: ({ address, id, value, lifetime }) => ({
      Address: address.replace("2001:db8::7", "2001:0DB8:0:0:0:0:0:7"),
      Id: id,
      Value: value,
      Life: lifetime,
    }),
  },
  "first and last address": {
    isIpv4: true,
    entry: (prefix, v) => ({ start: textOf(rangeOf(prefix)[0]), end: textOf(rangeOf(prefix)[1]), v }),
  },
  "first and last address as integers": {
    isIpv4: true,
    entry: (prefix, v) => ({ from: rangeOf(prefix)[0], to: rangeOf(prefix)[1], v }),
  },
  "a range in one text": {
    isIpv4: true,
    entry: (prefix, v) => ({ p: rangeOf(prefix).map(textOf).join("-"), v }),
  },
  "first and last address under names of its own": {
    isIpv4: true,
    entry: (prefix, v) => ({ lo: textOf(rangeOf(prefix)[0]), hi: textOf(rangeOf(prefix)[1]), v }),
    settings: { answers: { names: { rangeStart: "lo", rangeEnd: "hi" } } },
  },
  "the length is called prefix": {
    entry: (prefix, value) => ({ net: partsOf(prefix)[0], prefix: partsOf(prefix)[1], value }),
    settings: { answers: { names: { prefix: "net", prefixLength: "prefix" } } },
  },
  "a hit counter that could be a length": {
    entry: (prefix, v, index) => ({ p: bareOf(prefix), v, hits: 20 + index }),
    settings: { answers: { names: { prefixLength: "/" } } },
  },
  "profiles and rules with members of their own": {
    profile: (profile) => ({ profile, prefixes: ["198.51.100.0/24"] }),
    rule: (id, name) => ({ id, name, action: "HMARK", match: { proto: 17 } }),
    reads: {
      profiles: [
        { name: "web", extra: { prefixes: ["198.51.100.0/24"] } },
        { name: "clean", extra: { prefixes: ["198.51.100.0/24"] } },
      ],
      rules: [
        { id: 30, name: "syn-flood", extra: { action: "HMARK", match: { proto: 17 } } },
        { id: 31, name: "count-all", extra: { action: "HMARK", match: { proto: 17 } } },
      ],
    },
  },
  "nftables: an element is an object in an object": {
    isFlat: true,
    entry: (prefix) =>
      bareOf(prefix) !== prefix ? bareOf(prefix) : { prefix: { addr: partsOf(prefix)[0], len: partsOf(prefix)[1] } },
    list: (elem, { kind }) =>
      kind === "prefixset"
        ? { nftables: [{ metainfo: { json_schema_version: 1 } }, { set: { elem } }] }
        : { data: elem },
    settings: { answers: { read: own("nftables") } },
  },
  "JSON:API: the members of an element are attributes": {
    entry: (p, v, index) => ({ type: "entry", id: String(index), attributes: { p, v } }),
    profile: (name) => ({ type: "profile", id: name, attributes: { name } }),
    rule: (id, name) => ({ type: "rule", id: String(id), attributes: { id, name } }),
    mark: ({ address, id, value, lifetime }) => ({
      type: "mark",
      id: address,
      attributes: { a: address, id, v: value, t: lifetime },
    }),
    settings: { answers: { read: own("json-api") } },
  },
};
