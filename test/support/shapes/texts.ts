import { join } from "node:path";
import { Told } from "../told";
import { bareOf, lines, type NodeShape, netmaskOf, partsOf } from "./shape";

const own = (name: string) => join(__dirname, "readers", `${name}.cjs`);

/** Common traits of nodes that print lines. */
const FIELDS = {
  entry: (prefix, value) => `${prefix} ${value}`,
  profile: (name) => name,
  rule: (id, name) => `${id} ${name}`,
  mark: ({ address, id, value, lifetime }) => `${address} ${id} ${value} ${lifetime}`,
  done: () => "OK\n",
  missing: new Told(200, "ERROR no such set\n"),
  reads: { rules: [{ extra: { text: "30 syn-flood" } }, { extra: { text: "31 count-all" } }] },
} satisfies NodeShape;
const MARKS = { address: 0, id: 1, value: 2, lifetime: 3 };

const HEADS = {
  prefixset: "prefix,value",
  arena: "name",
  profile: "id,name",
  mark: "address,id,value,lifetime",
};
const COMMAS = {
  entry: (prefix, value) => `${prefix},${value}`,
  profile: (name) => name,
  rule: (id, name) => `${id},${name}`,
  mark: ({ address, id, value, lifetime }) => `${address},${id},${value},${lifetime}`,
  done: () => "ok",
} satisfies NodeShape;
const WITH_HEAD: NodeShape = {
  ...COMMAS,
  list: (elements, { kind }) => lines(HEADS[kind], ...elements),
  settings: { answers: { format: "csv" } },
};

/** Nodes that answer in another format than JSON. */
export const TEXTS: Record<string, NodeShape> = {
  "shell: one entry a line": {
    ...FIELDS,
    list: (elements) => lines(...elements),
    settings: { answers: { format: "lines", empty: "", columns: { marks: MARKS } } },
  },
  "shell: one prefix a line": {
    ...FIELDS,
    isFlat: true,
    entry: (prefix) => bareOf(prefix),
    mark: ({ address }) => address,
    list: (elements) => lines(...elements),
    settings: { answers: { format: "lines", empty: "" } },
    reads: { ...FIELDS.reads, marks: [{ address: "203.0.113.9" }, { address: "2001:db8::7" }] },
  },
  "C: OK, a number and lines": {
    ...FIELDS,
    list: (elements) => lines(`OK ${elements.length}`, ...elements),
    done: (_cmd, count) => `OK ${count}`,
    settings: { answers: { format: "lines", columns: { marks: MARKS } } },
  },
  "C: lines with a head, and a last line": {
    ...FIELDS,
    list: (elements, { kind }) => lines(HEADS[kind].replaceAll(",", " "), ...elements, `OK ${elements.length}`),
    settings: {
      answers: { format: "lines", columns: { profiles: { name: "name" }, rules: { id: "id", name: "name" } } },
    },
    reads: {},
  },
  "lines with comments, blank lines and ends as in DOS": {
    ...FIELDS,
    list: (elements) => ["# generated", "", ...elements, "; end", ""].join("\r\n"),
    settings: { answers: { format: "lines", columns: { marks: MARKS } } },
  },
  "Cisco: address and netmask": {
    ...FIELDS,
    isIpv4: true,
    entry: (prefix, value) => `permit ${partsOf(prefix)[0]} ${netmaskOf(prefix)} ${value}`,
    list: (elements) => lines(...elements),
    settings: {
      answers: {
        format: "lines",
        empty: "",
        columns: { prefixset: { prefix: 1, prefixLength: 2, value: 3 }, marks: MARKS },
      },
    },
  },
  "CSV with a head": WITH_HEAD,
  "CSV with a head of its own": {
    ...COMMAS,
    list: (elements, { kind }) => lines({ ...HEADS, prefixset: "net,weight" }[kind], ...elements),
    settings: { answers: { format: "csv", columns: { prefixset: { prefix: "net", value: "weight" } } } },
  },
  "CSV without a head": {
    ...COMMAS,
    list: (elements) => lines(...elements),
    settings: {
      answers: {
        format: "csv",
        empty: "",
        columns: { prefixset: { prefix: 0, value: 1 }, profiles: { name: 0 }, rules: { id: 0, name: 1 }, marks: MARKS },
      },
    },
  },
  "PHP: CSV with semicolons and quotation marks": {
    ...COMMAS,
    list: (elements, { kind }) =>
      lines(
        ...[HEADS[kind], ...elements].map((line) =>
          String(line)
            .split(",")
            .map((field) => `"${field}"`)
            .join(";"),
        ),
      ),
    settings: { answers: { format: "csv" } },
  },
  tabs: {
    ...WITH_HEAD,
    list: (elements, { kind }) => lines(HEADS[kind], ...elements).replaceAll(",", "\t"),
  },
  NDJSON: {
    list: (elements) => lines(...elements.map((each) => JSON.stringify(each))),
    settings: { answers: { format: "ndjson", empty: "" } },
  },
  "NDJSON with a last line that counts": {
    list: (elements) => lines(...elements.map((each) => JSON.stringify(each)), `{"count":${elements.length}}`),
    settings: { answers: { format: "ndjson" } },
  },
  "only the set in lines, all else in JSON": {
    entry: FIELDS.entry,
    list: (elements, { kind }) => (kind === "prefixset" ? lines(...elements) : { data: elements }),
    settings: { answers: { format: { prefixset: "lines" }, empty: "" } },
  },
  "Windows: JSON behind a byte order mark": { list: (data) => `\uFEFF${JSON.stringify({ data })}\r\n` },
  "ipset save": {
    ...FIELDS,
    isFlat: true,
    entry: (prefix) => `add blocked ${prefix}`,
    list: (elements, { kind }) =>
      kind === "prefixset" ? lines("create blocked hash:net family inet", ...elements) : lines(...elements),
    settings: { answers: { read: own("ipset") } },
    reads: {},
  },
  XML: {
    entry: (p, v) => `<entry p="${p}" v="${v}"/>`,
    profile: (name) => `<profile name="${name}"/>`,
    rule: (id, name) => `<rule id="${id}" name="${name}"/>`,
    mark: ({ address, id, value, lifetime }) => `<mark a="${address}" id="${id}" v="${value}" t="${lifetime}"/>`,
    list: (elements) => `<?xml version="1.0"?>\n<list>\n${lines(...elements)}</list>\n`,
    settings: { answers: { read: own("xml") } },
  },
  YAML: {
    entry: (p, v) => `- { p: "${p}", v: ${v} }`,
    profile: (name) => `- { name: ${name} }`,
    rule: (id, name) => `- { id: ${id}, name: ${name} }`,
    mark: ({ address, id, value, lifetime }) => `- { a: "${address}", id: ${id}, v: ${value}, t: ${lifetime} }`,
    list: (elements) => (elements.length > 0 ? lines("---", ...elements) : "--- []\n"),
    settings: { answers: { read: own("yaml") } },
  },
  "JSON behind a guard against scripts": {
    list: (data) => `)]}',\n${JSON.stringify({ data })}`,
    settings: { answers: { read: own("guarded") } },
  },
};
