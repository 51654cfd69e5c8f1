import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isObject } from "../../provider/model/json";
import { useFolder } from "../support/folder";
import { root } from "../support/markdown";
import { APPLIANCES } from "./appliances/appliance";
import { startAppliance, writtenBy } from "./appliances/probing";

const folder = useFolder();

const guide = readFileSync(join(root, "docs/guides/first-contact.md"), "utf8");
const [, table = ""] = /\n## Eight appliances\n.*?\n\|---\|---\|\n(.*?)\n\n/s.exec(guide) ?? [];
const rows = table.split("\n").map((row) => row.split("|").map((cell) => cell.trim())[2] ?? "");

/** The settings that a text names: `maxConcurrency: 1` with its value, `answers.path` without. */
function named(text: string): string[] {
  return [...text.matchAll(/`(\w+(?:\.\w+)*)(?:: ([^`]+))?`/g)].map(([, path = "", value]) =>
    value === undefined ? path : `${path}: ${value}`,
  );
}

/** Each setting in its longest form that the text names, else as the member of a node that it is. */
function written(settings: object, names: readonly string[], path = ""): string[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    const here = path === "" ? name : `${path}.${name}`;
    const whole = `${here}: ${JSON.stringify(value)}`;
    if (names.includes(whole)) return [whole];
    const isDeep = isObject(value) && (here === "answers" || names.some((one) => one.startsWith(`${here}.`)));
    return isDeep ? written(value, names, here) : [here];
  });
}

test.each(APPLIANCES.map((name, at) => ({ name, row: rows[at] ?? "" })))(
  "the table of the guide says of $name, which is left as it was, what a probe writes: $row",
  async ({ name, row }) => {
    expect(rows).toHaveLength(APPLIANCES.length);
    await using appliance = await startAppliance(name);
    const { result } = await writtenBy(appliance, name, folder);
    const [held, waiting, signaled] = [appliance.held("edge/probe"), appliance.waiting(), appliance.signaled()];
    expect({ held, waiting, signaled, left: result.left }).toEqual({ held: {}, waiting: 0, signaled: [], left: [] });
    const [node = [], receiver = []] = row.split("for the receiver").map(named);
    expect({ node: node.toSorted(), receiver: receiver.toSorted() }).toEqual({
      node: written(result.node, node).toSorted(),
      receiver: written(result.receiver, receiver).toSorted(),
    });
  },
);
