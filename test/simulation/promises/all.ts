import { noExposure } from "./no-exposure";
import { previewShows } from "./preview-shows";
import type { Promised } from "./promise";
import { truthOfGreen } from "./truth-of-green";

/** Every promise that is judged after each run. */
export const PROMISES: readonly Promised[] = [noExposure, previewShows, truthOfGreen];
