import { resolve } from "node:path";
import { expect, it } from "vitest";
import { timesPage } from "./times";

it("docs/reference/times.md has every default that can be set, as the sources have it", async () => {
  const page = timesPage();
  expect(page).toContain("| `commitCoalesceMs` | 30 |");
  expect(page).toContain("| `onceDeadlineMs` | 30 000 |");
  await expect(page).toMatchFileSnapshot(resolve(__dirname, "../../docs/reference/times.md"));
});
