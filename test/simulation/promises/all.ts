import { destroyedIsGone } from "./destroyed";
import { driftIsSeen } from "./drift";
import { endsAsTold, takesNothingOver, whatStaysIsNamed, whatWasThereIsNamed } from "./endings";
import { eventsAreBorneOut } from "./events";
import { nothingNeedless, oneCommit, oneList } from "./few-requests";
import { goesBackAtOnce } from "./going-back";
import { greenIsPassed } from "./green-waves";
import { blocksInSeconds, obeysCtrlC } from "./in-time";
import { lateEffects } from "./late-effects";
import { limitsHold } from "./limits";
import { mistakesFailEarly } from "./mistakes";
import { noExposure } from "./no-exposure";
import { nothingStaged, unknownStays } from "./nothing-staged";
import { oneRegistry } from "./one-registry";
import { othersStay } from "./others-stay";
import { placesAreAddresses } from "./places";
import { previewShows } from "./preview-shows";
import type { Promised } from "./promise";
import { replacedNodesAreFilledFirst } from "./replaced-nodes";
import { restores } from "./restores";
import { secretsStaySecret } from "./secrets";
import { startedIsStopped } from "./started";
import { eventsArePrinted, unseenIsNamed } from "./told";
import { truthOfGreen } from "./truth-of-green";
import { unreadableChangesNothing } from "./unreadable";
import { redStaysRed } from "./waves";

/** Every promise that is judged after each run. */
export const PROMISES: readonly Promised[] = [
  noExposure,
  nothingStaged,
  unknownStays,
  previewShows,
  oneCommit,
  oneList,
  nothingNeedless,
  lateEffects,
  driftIsSeen,
  mistakesFailEarly,
  secretsStaySecret,
  placesAreAddresses,
  unreadableChangesNothing,
  truthOfGreen,
  destroyedIsGone,
  endsAsTold,
  whatStaysIsNamed,
  whatWasThereIsNamed,
  takesNothingOver,
  othersStay,
  eventsAreBorneOut,
  eventsArePrinted,
  unseenIsNamed,
  startedIsStopped,
  limitsHold,
  oneRegistry,
  restores,
  redStaysRed,
  greenIsPassed,
  goesBackAtOnce,
  replacedNodesAreFilledFirst,
  obeysCtrlC,
  blocksInSeconds,
];
