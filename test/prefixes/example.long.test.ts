import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, test } from "vitest";
import { Runtime } from "../../provider/deployment/runtime";
import { dynamicProvider } from "../../provider/engine/dynamic-provider";
import type { PrefixEntries } from "../../provider/prefixes";
import { parsePrefixes, readPrefixFile } from "../../provider/prefixes";
import { flatInputs } from "../../provider/reconcile/written-inputs";
import { PrefixSetHandler } from "../../provider/resources/prefix-set/handler";

const folder = resolve(__dirname, "../../examples/block-lists");

interface Registered {
  readonly name: string;
  readonly inputs: { readonly entries: PrefixEntries } & Record<string, unknown>;
}

/** Result of the provider's check for the arguments of a set, as in a preview. */
async function checked(args: object) {
  const runtime = new Runtime({ env: {}, print: () => {}, world: { wall: () => Date.parse("2030-01-01T00:00:00Z") } });
  runtime.configure((key) => (key === "endpoint" ? "http://192.0.2.10" : undefined));
  return await dynamicProvider(new PrefixSetHandler(runtime), runtime).check({}, JSON.parse(JSON.stringify(args)));
}

describe("the example block-lists", () => {
  const resources: Registered[] = [];
  let addresses: string;

  beforeAll(async () => {
    await pulumi.runtime.setMocks(
      {
        newResource: ({ name, inputs }) => {
          resources.push({ name, inputs });
          return { id: name, state: inputs };
        },
        call: () => ({}),
      },
      "block-lists",
      "dev",
      true,
    );
    const program: { addresses: string } = await import(join(folder, "index.ts"));
    addresses = program.addresses;
    await pulumi.runtime.disconnect();
  });

  test("blocks what the lists name, less its own networks, in few entries", () => {
    expect(resources.map(({ name }) => name)).toEqual(["blocked"]);
    expect(resources[0]?.inputs.entries).toEqual({
      "192.0.2.0/25": { value: 1, reason: "SBL100001" },
      "192.0.2.128/25": { value: 1, reason: "FireHOL level 1" },
      "198.51.100.64/26": { value: 1, reason: "FireHOL level 1" },
      "198.51.100.128/25": { value: 1, reason: "FireHOL level 1" },
      "203.0.113.0/24": { value: 1, reason: "SBL100002" },
      "203.0.113.7/32": { value: 2, reason: "SYN flood", ticket: "INC-4711", expires: "2099-12-31T00:00:00Z" },
      "2001:db8:bad::/48": { value: 1, reason: "scanners" },
    });
    expect(addresses).toBe(String(256 + 192 + 256));
  });

  test("passes its own limits", async () => {
    const { failures, inputs } = await checked(resources[0]?.inputs ?? {});
    expect(failures).toEqual([]);
    expect(flatInputs(inputs)).toMatchObject({ entries: { "203.0.113.7/32": 2 }, maxRemovals: "20%" });
  });

  test("reads every list that lies beside it", () => {
    for (const name of readdirSync(join(folder, "lists"))) {
      expect(Object.keys(readPrefixFile(join(folder, "lists", name))).length).toBeGreaterThan(0);
    }
  });
});

test("a list in another order is no change", async () => {
  const lines = ["192.0.2.0/24 2", "2001:db8::/32", "198.51.100.7"];
  const set = (text: string) => checked({ arena: "edge", set: "blocked", entries: parsePrefixes(text) });
  const { inputs, failures } = await set(lines.join("\n"));
  expect(failures).toEqual([]);
  expect(flatInputs(inputs).entries).toEqual({ "192.0.2.0/24": 2, "2001:db8::/32": 1, "198.51.100.7/32": 1 });
  expect((await set(lines.toReversed().join("\n"))).inputs).toEqual(inputs);
});
