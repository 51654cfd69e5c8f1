import type { NodeOptions } from "../../../provider/client";
import { Prefix } from "../../../provider/model/prefix";
import { parseUrl, type ResourceUrl } from "../../../provider/model/resource-url";
import type { Held, Shape } from "../shaped-node";
import type { Told } from "../told";

/** The set that every node of the matrix holds. */
export const SET = "prefixset://edge/blocked";
/** A set that none of them holds. */
export const NOWHERE = "prefixset://edge/nowhere";

/** Content of a node, and the entries to be read. */
export interface Content {
  /** Prefix to value. */
  readonly entries: Readonly<Record<string, unknown>>;
  readonly profiles: readonly Readonly<Record<string, unknown>>[];
  readonly rules: readonly Readonly<Record<string, unknown>>[];
  /** By source; the other tables are empty. */
  readonly marks: readonly MarkHeld[];
}

interface MarkHeld {
  readonly address: string;
  readonly id?: number;
  readonly value?: number;
  readonly lifetime?: number;
  readonly extra?: Readonly<Record<string, unknown>>;
}

const CONTENT: Content = {
  entries: { "192.0.2.0/24": 7, "198.51.100.7/32": 1, "2001:db8::/32": 200 },
  profiles: [{ name: "web" }, { name: "clean" }],
  rules: [
    { id: 30, name: "syn-flood" },
    { id: 31, name: "count-all" },
  ],
  marks: [
    { address: "203.0.113.9", id: 30, value: 1234, lifetime: 60 },
    { address: "2001:db8::7", id: 31, value: 5, lifetime: 3600 },
  ],
};

/** Resource of a list. */
type Asked = ResourceUrl & { readonly kind: "prefixset" | "arena" | "profile" | "mark" };

/** A node as an engineer would write it who knows only the contract. What is left out is as the emulator does it. */
export interface NodeShape {
  /** The members of the node that read it. */
  readonly settings?: Pick<NodeOptions, "answers">;
  /** One element of each list. */
  readonly entry?: (prefix: string, value: unknown, index: number) => unknown;
  readonly profile?: (name: string) => unknown;
  readonly rule?: (id: number, name: string) => unknown;
  readonly mark?: (mark: Required<MarkHeld>) => unknown;
  /** An answer around its elements. */
  readonly list?: (elements: readonly unknown[], asked: Asked) => unknown;
  /** A success of insert, delete or commit. */
  readonly done?: (cmd: string, count: number) => unknown;
  /** A set that is not there. */
  readonly missing?: Told;
  /** Its sets are made by the first insert, and gone when they are empty. */
  readonly vanishes?: boolean;
  /** It knows no IPv6, and refuses it. */
  readonly isIpv4?: boolean;
  /** It keeps no values: all are 1. */
  readonly isFlat?: boolean;
  /** Entries to be read, if they differ from those it holds. */
  readonly reads?: Partial<Content>;
}

/** Content of a node of a shape at its start. */
export function heldBy({ isIpv4, isFlat }: NodeShape): Content {
  const isKnown = (text: string) => !isIpv4 || !text.includes(":");
  const entries = Object.entries(CONTENT.entries).flatMap(([prefix, value]) =>
    isKnown(prefix) ? [[prefix, isFlat ? 1 : value]] : [],
  );
  const marks = CONTENT.marks.filter(({ address }) => isKnown(address));
  return { ...CONTENT, entries: Object.fromEntries(entries), marks };
}

/** Entries to be read from such a node. */
export function readOf(shape: NodeShape): Content {
  return { ...heldBy(shape), ...shape.reads };
}

/** The answers of such a node. */
export function shapeOf(node: NodeShape): Shape {
  const { entry = (p, v) => ({ p, v }), list = (elements) => ({ data: elements }) } = node;
  const { profile = (name) => ({ name }), rule = (id, name) => ({ id, name }) } = node;
  const { mark = ({ address, id, value, lifetime }) => ({ a: address, id, v: value, t: lifetime }) } = node;
  const { profiles, rules, marks } = heldBy(node);
  const elements = ({ kind, ...asked }: Asked, type?: string): unknown[] => {
    if (kind === "arena") return profiles.map(({ name }) => profile(String(name)));
    if ("profile" in asked && asked.profile === "clean") return [];
    if (kind === "profile") return rules.map(({ id, name }) => rule(Number(id), String(name)));
    return type === "shost" ? marks.map((each) => mark(each as Required<MarkHeld>)) : [];
  };
  const entries = (held: Held) => [...held].map(([prefix, value], index) => entry(prefix, value, index));
  const { done, missing } = node;
  return {
    list: (held, url) => list(entries(held), parseUrl(url) as Asked),
    others: ({ url, type }) => list(elements(parseUrl(url) as Asked, type), parseUrl(url) as Asked),
    ...(done && { success: done }),
    ...(missing && { unknown: missing }),
    ...(node.vanishes && { makesSets: true, dropsEmpty: true }),
    ...(node.isIpv4 && { refuses: ({ p = "" }) => p.includes(":") }),
    key: canonical,
  };
}

/** The prefix that a spelling of any of these nodes means. */
function canonical(spelling: string): string {
  const [first = "", last] = spelling.split("-");
  const [address = "", length = ""] = first.split("/");
  if (last !== undefined) return `${address}/${32 - Math.log2(integerOf(last) - integerOf(first) + 1)}`;
  const text = length.includes(".") ? `${address}/${32 - Math.log2(2 ** 32 - integerOf(length))}` : spelling;
  return Prefix.parse(text, { hostBits: "mask" }).toString();
}

/** Address and length of a prefix. */
export function partsOf(prefix: string): [address: string, length: number] {
  const { address, length } = Prefix.parse(prefix);
  return [address, length];
}

/** A prefix as most tools print it: a single address without its length. */
export function bareOf(prefix: string): string {
  const { address, size } = Prefix.parse(prefix);
  return size === 1n ? address : prefix;
}

/** An IPv4 address as the integer that a C program keeps. */
export function integerOf(address: string): number {
  return address.split(".").reduce((sum, octet) => sum * 256 + Number(octet), 0);
}

/** First and last address of an IPv4 prefix, as integers. */
export function rangeOf(prefix: string): [first: number, last: number] {
  const [address, length] = partsOf(prefix);
  const first = integerOf(address);
  return [first, first + 2 ** (32 - length) - 1];
}

/** The text of an IPv4 address. */
export function textOf(integer: number): string {
  return [24, 16, 8, 0].map((shift) => (integer >>> shift) & 255).join(".");
}

/** The netmask of an IPv4 prefix. */
export function netmaskOf(prefix: string): string {
  const [, length] = partsOf(prefix);
  return textOf(length === 0 ? 0 : (0xffffffff << (32 - length)) >>> 0);
}

/** Lines with an end, as a program prints them. */
export function lines(...each: readonly unknown[]): string {
  return each.map((line) => `${line}\n`).join("");
}
