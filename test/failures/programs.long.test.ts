import { it } from "vitest";
import { upsInAnyDialect } from "./support/program-walks";

it("on whatever node: any dialect converges, sees drift and repairs it", () => upsInAnyDialect(40), 120_000);
