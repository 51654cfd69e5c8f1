import { expect, test } from "vitest";
import { entryPoints, root } from "../reference/surface";
import { hoversOf } from "./hover";

test("every member that is reached from a public name has a text that an editor shows", () => {
  const hovers = hoversOf(root, entryPoints);
  expect(hovers.length).toBeGreaterThan(900);
  expect(hovers.filter(({ text }) => text === "").map(({ name }) => name)).toEqual([]);
}, 240_000);
