import { Told } from "../told";
import type { NodeShape } from "./shape";

const sorted = (elements: readonly unknown[]) => ({ count: elements.length, entries: elements });

/** Nodes that differ in where the list stands. */
export const PLACES: Record<string, NodeShape> = {
  "the list alone": { list: (elements) => elements },
  "under data": {},
  "under result, with a status": { list: (result) => ({ status: "ok", result }) },
  "under response and items": { list: (items) => ({ response: { items } }) },
  "with a count that is right": { list: sorted },
  "Go: members in capitals, and no slice is null": {
    list: (elements) => ({ Error: null, Entries: elements.length > 0 ? elements : null }),
    entry: (Prefix, Value) => ({ Prefix, Value }),
    profile: (Name) => ({ Name }),
    rule: (ID, Name) => ({ ID, Name }),
    mark: ({ address, id, value, lifetime }) => ({ Address: address, ID: id, Value: value, TTL: lifetime }),
  },
  "Go: a head of its own, under payload": {
    list: (payload) => ({ header: { node: "fra1", took: 3 }, payload }),
    settings: { answers: { path: "payload" } },
  },
  "Java: a page of Spring's that is the whole list": {
    list: (content) => ({
      content,
      pageable: "INSTANCE",
      totalElements: content.length,
      totalPages: 1,
      last: true,
      first: true,
      size: content.length,
      number: 0,
      empty: content.length === 0,
    }),
    settings: { answers: { path: "content", ignore: ["pageable"] } },
  },
  "Java: HAL": {
    list: (entries) => ({ _links: { self: { href: "/fapi" } }, _embedded: { entries } }),
    settings: { answers: { path: "_embedded.entries" } },
  },
  "OData: under value": {
    list: (value) => ({ "@odata.context": "$metadata#entries", value }),
    settings: { answers: { path: "value" } },
  },
  "JSON-RPC": {
    list: (result) => ({ jsonrpc: "2.0", id: 1, result }),
    done: () => ({ jsonrpc: "2.0", id: 1, result: true }),
    missing: new Told(200, { jsonrpc: "2.0", id: 1, error: { code: -32602, message: "no such set" } }),
  },
  "Rust: Ok and Err": {
    list: (Ok) => ({ Ok }),
    done: () => ({ Ok: null }),
    missing: new Told(200, { Err: "no such set" }),
    settings: { answers: { path: "Ok" } },
  },
  "Haskell: a tag and contents": {
    list: (contents) => ({ tag: "Listed", contents }),
    done: () => ({ tag: "Done" }),
    settings: { answers: { path: "contents" } },
  },
  "Erlang: ok, and an empty text for an empty list": {
    list: (elements) => ({ ok: elements.length > 0 ? elements : "" }),
    done: () => ({ ok: "" }),
    missing: new Told(200, { error: "enoent" }),
    settings: { answers: { path: "ok", empty: "" } },
  },
  "Lua: an empty table is an object": {
    list: (elements) => ({ data: elements.length > 0 ? elements : {} }),
    settings: { answers: { empty: "{}" } },
  },
  "PHP: keyed by prefix, and an empty one is an array": {
    list: (elements) => ({ rows: elements.length > 0 ? Object.fromEntries(elements as [string, unknown][]) : [] }),
    entry: (prefix, value) => [prefix, { value, hits: 3 }],
    profile: (name) => [name, { active: true }],
    rule: (id, name) => [id, { name }],
    mark: ({ address, id, value, lifetime }) => [address, { id, value, lifetime }],
    settings: { answers: { path: { profiles: "rows", rules: "rows" } } },
    reads: {
      profiles: [
        { name: "web", extra: { active: true } },
        { name: "clean", extra: { active: true } },
      ],
    },
  },
  "Redis: the answer is keyed by prefix": {
    list: (elements) => Object.fromEntries(elements as [string, unknown][]),
    entry: (prefix, value) => [prefix, value],
    profile: (name) => [name, { rules: 2 }],
    rule: (id, name) => [id, { name }],
    mark: ({ address, id, value, lifetime }) => [address, { id, value, lifetime }],
    done: () => "+OK",
    settings: { answers: { empty: "{}", path: { profiles: ".", rules: "." } } },
    reads: {
      profiles: [
        { name: "web", extra: { rules: 2 } },
        { name: "clean", extra: { rules: 2 } },
      ],
    },
  },
  "an array around the object": {
    list: (data) => [{ data }],
    settings: { answers: { path: "0.data" } },
  },
  "nested by the names of what is asked for": {
    list: (elements, asked) => {
      if (asked.kind === "arena") return { [asked.arena]: elements };
      if (asked.kind === "prefixset") return { [asked.arena]: { sets: { [asked.set]: elements, other: [] } } };
      return { [asked.arena]: { [asked.profile]: elements } };
    },
    settings: {
      answers: {
        path: {
          prefixset: "{arena}.sets.{set}",
          profiles: "{arena}",
          rules: "{arena}.{profile}",
          marks: "{arena}.{profile}",
        },
      },
    },
  },
  "members with dots in their names": {
    list: (elements) => ({ "v1.rows": elements, staged: [{ p: "0.0.0.0/0" }] }),
    settings: { answers: { path: "v1.rows" } },
  },
  "the list beside another one": {
    list: (applied) => ({ applied, staged: [{ p: "0.0.0.0/0", v: 1 }] }),
    settings: { answers: { path: "applied" } },
  },
  "a total that counts the whole system": {
    list: (data) => ({ total: 5_000_000, data }),
    settings: { answers: { ignore: ["total"] } },
  },
  "jQuery DataTables": {
    list: (data) => ({ draw: 1, recordsTotal: data.length, recordsFiltered: data.length, data }),
  },
};
