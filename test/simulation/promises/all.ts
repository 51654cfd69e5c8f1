import { driftIsSeen } from "./drift";
import { nothingNeedless, oneCommit, oneList } from "./few-requests";
import { mistakesFailEarly } from "./mistakes";
import { noExposure } from "./no-exposure";
import { placesAreAddresses } from "./places";
import { previewShows } from "./preview-shows";
import type { Promised } from "./promise";
import { secretsStaySecret } from "./secrets";
import { truthOfGreen } from "./truth-of-green";
import { redStaysRed } from "./waves";

/** Every promise that is judged after each run. */
export const PROMISES: readonly Promised[] = [
  noExposure,
  previewShows,
  oneCommit,
  oneList,
  nothingNeedless,
  driftIsSeen,
  mistakesFailEarly,
  secretsStaySecret,
  placesAreAddresses,
  truthOfGreen,
  redStaysRed,
];
