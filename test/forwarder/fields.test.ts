import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import type { Format } from "../../provider/forwarder/record/formats";
import { cef, formatter } from "../../provider/forwarder/record/formats";
import type { ForwardRecord } from "../../provider/forwarder/record/record";
import type { MarkType } from "../../provider/model/mark";
import { temporaryFolder } from "./support/forward";
import { arrived, openLedger, sink, TABLE, unread } from "./support/ledger";

const reference = readFileSync(resolve(__dirname, "../../docs/forwarder.md"), "utf8");

describe("the fields of records", () => {
  /** The rows of the table whose first column is named so; of each, what its cells quote. */
  const table = (head: string): string[][][] => {
    const [, rows = ""] = reference.split(`\n| ${head} |`);
    const lines = rows.split("\n\n")[0]?.split("\n").slice(2) ?? [];
    return lines.map((line) =>
      line
        .split("|")
        .slice(1)
        .map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name)),
    );
  };
  const names = (cells: readonly (readonly string[] | undefined)[]) =>
    [...new Set(cells.flatMap((cell) => cell ?? []))].sort();

  /** Records of every kind of table, with every member that a record can have. */
  async function records(): Promise<ForwardRecord[]> {
    using folder = temporaryFolder();
    const { ledger } = await openLedger(folder.path, [sink("all")]);
    const more = '"id":7,"v":5,"t":60,"age":1,"status":"active","note":"x"';
    const connection = '"sport":1024,"dport":443,"proto":6';
    const lists = {
      shost: `[{"a":"203.0.113.9",${more}},{"a":"2001:db8::9",${more}}]`,
      dhost: `[{"a":"198.51.100.7",${more}}]`,
      sdhost: `[{"src":"2001:db8::9","dst":"2001:db8::7",${more}}]`,
      conn: `[{"src":"203.0.113.9","dst":"198.51.100.7",${connection},${more}}]`,
    } as const;
    for (const [type, list] of Object.entries(lists) as [MarkType, string][]) {
      await ledger.take(arrived(list, { table: { ...TABLE, type }, rules: [{ id: 7, name: "syn" }] }));
    }
    const all = await unread(ledger, "all");
    await ledger.close(undefined);
    // As if each had been sent before.
    return all.map((one) => ({ ...one, resent: true as const }));
  }

  /** Paths of the values of a document; what stands under `extra` is the node's. */
  const paths = (value: unknown, path = ""): string[] =>
    typeof value !== "object" || value === null || Array.isArray(value) || /(^|\.)extra$/.test(path)
      ? [path]
      : Object.entries(value).flatMap(([name, member]) => paths(member, path === "" ? name : `${path}.${name}`));

  test("are those that records have, in every format", async () => {
    const all = await records();
    const found = (format: Format) =>
      [
        ...new Set(all.map(formatter(format)).flatMap((document) => paths(JSON.parse(JSON.stringify(document))))),
      ].sort();
    const rows = table("plain");
    expect(names(rows.map(([plain]) => plain))).toEqual(
      [...new Set(all.flatMap((record) => Object.keys(record)))].sort(),
    );
    expect(
      names([["rule.id", "rule.name"], ...rows.map(([plain]) => plain?.filter((name) => name !== "rule"))]),
    ).toEqual(found("plain"));
    const values = [
      "mark-",
      "state",
      "seen",
      "event",
      "dhost",
      "packetfilter.mark.",
      "packetfilter.mark",
      "packetfilter",
      "intrusion_detection",
      "info",
      "ddos",
    ];
    const constants = /^Every ECS document also has[\s\S]*?\n\n/m.exec(reference)?.[0] ?? "";
    const quoted = [...constants.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
    const documented = (cells: (readonly string[] | undefined)[]) =>
      names(cells).filter((name) => !values.includes(name));
    expect(documented([quoted, ...rows.map(([, , ecs]) => ecs)])).toEqual(found("ecs"));
    expect(documented(rows.map(([, , , otel]) => otel))).toEqual(found("otel"));
  });

  test("each stand where the table says, the same in all columns", async () => {
    const valueAt = (document: unknown, path: string): unknown => {
      if (typeof document !== "object" || document === null) return undefined;
      const entries = new Map<string, unknown>(Object.entries(document));
      if (entries.has(path)) return entries.get(path);
      const [first = "", ...rest] = path.split(".");
      return rest.length === 0 ? undefined : valueAt(entries.get(first), rest.join("."));
    };
    for (const record of await records()) {
      for (const [[plain = ""] = [], , ecs = [], otel = []] of table("plain")) {
        if (["event", "rule", "protocol"].includes(plain)) continue;
        const value = valueAt(record, plain);
        if (value === undefined) continue;
        for (const [format, cell] of [
          ["ecs", ecs],
          ["otel", otel],
        ] as const) {
          const there = cell.map((name) => valueAt(formatter(format)(record), name));
          expect(there, `${plain} of ${record.type} in ${format}`).toContainEqual(value);
        }
      }
    }
  });

  test("of CEF are those of its messages", async () => {
    const keys = (await records()).flatMap((record) =>
      [...cef(record).matchAll(/(?<=[| ])(\w+)=/g)].map(([, key = ""]) => key),
    );
    const written = [...new Set(keys)].filter((key) => !key.endsWith("Label")).sort();
    expect(names(table("CEF").map(([key]) => key))).toEqual(written);
    const labels = (await records()).flatMap((record) =>
      [...cef(record).matchAll(/\w+Label=(.*?)(?= \w+=)/g)].map(([, label = ""]) => label),
    );
    const [, text = ""] = reference.split("\n| CEF |");
    expect([...new Set(labels)].filter((label) => !text.split("\n\n")[0]?.includes(`\`${label}\``))).toEqual([]);
  });
});
