import fc from "fast-check";

/** Property tests draw the same cases each time: a red test means a change, never chance. `FAST_CHECK_SEED` draws others. */
fc.configureGlobal({ seed: Number(process.env.FAST_CHECK_SEED ?? 20_301) });
