import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { readPrefixFile } from "../../provider/prefixes";
import { guide } from "../support/guide";
import { BLOCKED, since, world } from "./support/world";

const example = join(process.cwd(), "examples", "incident-blocks");

guide(
  "incidents.md",
  "a block is at the node at once, survives an up, and goes after its time; what comes next is reviewed, and limited",
  async (guide) => {
    await using w = await world({ program: "", make: "seed:4", shost: ["192.0.2.9", "192.0.2.77"] });
    const { emulator, stack } = w;
    await cp(join(example, "blocks.yaml"), join(stack.folder, "blocks.yaml"));
    const program = await readFile(join(example, "index.ts"), "utf8");
    await stack.program(
      program
        .replace('import { join } from "node:path";', 'const { join } = require("node:path");')
        .replace(/import \* as pf.*\n/, "")
        .replace("export const blocked =", "exports.blocked ="),
    );
    await stack.must("up", "--yes", "--skip-preview");
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "203.0.113.7/32": 1 });

    guide.at(stack.place);
    const looked = await guide.next("--contains");
    expect(looked).toMatch(/1 entry covers 203\.0\.113\.7\/32/);
    expect(looked).toMatch(/192\.0\.2\.9[\s\S]*192\.0\.2\.77/);
    expect(await guide.next("blocks --file")).toMatch(
      /203\.0\.113\.7\/32 +1 +203\.0\.113\.7 +blocked +SYN flood +INC-4711/,
    );

    guide.at({ instead: { "203.0.113.7": "192.0.2.9" } });
    let sent = since(emulator);
    await guide.next("block ");
    expect(sent()).toEqual(["insert 1", "commit"]);
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.9/32": 1, "203.0.113.7/32": 1 });

    sent = since(emulator);
    await stack.must("up", "--yes", "--skip-preview");
    expect(sent()).toEqual(["commit"]);

    const text = await stack.read("blocks.yaml");
    expect(text).toMatch(/^# What is blocked during incidents/);
    await stack.write(
      "blocks.yaml",
      text.replace(/(192\.0\.2\.9\/32:[\s\S]*?expires: )\S+/, (_, before) => `${before}2020-01-01T00:00:00Z`),
    );
    sent = since(emulator);
    await stack.must("up", "--yes", "--skip-preview");
    expect(sent()).toEqual(["delete 1", "commit"]);
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "203.0.113.7/32": 1 });

    await guide.next("unblock");
    expect(Object.keys(readPrefixFile(join(stack.folder, "blocks.yaml")))).toEqual(["203.0.113.7/32"]);

    await stack.write("blocks.yaml", "203.0.113.7/32: 1\n192.0.2.0/25: { value: 1, reason: scanners }\n");
    await guide.leadsTo("reviews.md", async (review) => {
      sent = since(emulator);
      await review.next("pulumi preview --json");
      expect(await stack.read("comment.md")).toContain("192.0.2.0/25");
      await review.next("--key shop/production");
      expect(await stack.read("comment.md")).toMatch(/^<!-- pulumi-packetfilter report: shop\/production -->\n/);
      expect(await review.next("--marks")).toContain("2 sources are marked now: 2 covered by what comes in");
      expect(sent()).toEqual([]);
    });
    await guide.leadsTo("teams.md", async (teams) => {
      await teams.next("forbiddenPrefixes");
      const forbidden = await stack.mustFail("preview");
      expect(forbidden.text.replaceAll(/\s+/g, " ")).toContain(
        "192.0.2.0/25 overlaps the forbidden prefix 192.0.2.0/28",
      );
    });
  },
);
