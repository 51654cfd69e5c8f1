import { resolve } from "node:path";
import { expect, it } from "vitest";
import { timesPage } from "./times";

it("docs/times.md has every time, size and limit as the sources have it", async () => {
  const page = timesPage();
  expect(page).toContain("| `DEFAULTS.commitCoalesceMs` | 30 |");
  expect(page).toContain("| `MARK_PAUSE_MS` | 3 000 |");
  await expect(page).toMatchFileSnapshot(resolve(__dirname, "../../docs/times.md"));
});
