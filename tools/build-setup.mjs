// @ts-check
import { buildIfStale } from "./build.mjs";

/** Runs once before all tests: those of the provider's own process load the compiled package. */
export function setup() {
  buildIfStale();
}
