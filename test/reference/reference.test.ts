import { beforeAll, expect, test } from "vitest";
import { entryPoints, type PublicName, root, surfaceOf } from "./surface";

let names: PublicName[];

/** The sources of all entry points, from which `npm run reference` is made. */
beforeAll(() => {
  names = surfaceOf(root, entryPoints);
});

const wrong = (isWrong: (name: PublicName) => boolean) =>
  names.filter(isWrong).map(({ name, file }) => `${name} (${file})`);

test("there are public names to look at", () => {
  expect(names.length).toBeGreaterThan(400);
});

test("every public function and class has an example", () => {
  expect(wrong(({ kind, tags }) => (kind === "function" || kind === "class") && !tags.includes("example"))).toEqual([]);
});

test("a public function or method that throws says what", () => {
  expect(wrong(({ throws, tags }) => throws && !tags.includes("throws"))).toEqual([]);
});

test("a number that may be left out has a unit and a default", () => {
  expect(wrong(({ optionalNumber, comment }) => optionalNumber && !/default|without|absent/i.test(comment))).toEqual(
    [],
  );
  const units: [RegExp, RegExp][] = [
    [/Ms$/, /milliseconds/i],
    [/Bytes/, /bytes/i],
    [/Seconds$/, /seconds/i],
  ];
  const named = ({ name, comment }: PublicName) =>
    units.some(([ending, unit]) => ending.test(name) && !unit.test(comment));
  expect(wrong((name) => name.kind === "member" && named(name))).toEqual([]);
});

test("no link of a doc comment is dead", () => {
  expect(names.flatMap(({ name, deadLinks }) => deadLinks.map((link) => `${name} links to ${link}`))).toEqual([]);
});
