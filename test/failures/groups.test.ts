import { describe, expect, it } from "vitest";
import { CHANGES, SHORT, walkAll } from "./support/group-walk";

describe("a group of three nodes of which one fails at each request", () => {
  it.each(CHANGES.filter(({ name }) => name === SHORT))(
    "$name: the others are done, the state is true, and the next run converges",
    async (change) => expect(await walkAll(change)).toEqual([]),
    240_000,
  );
});
