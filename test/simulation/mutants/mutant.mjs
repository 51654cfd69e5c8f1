// @ts-check

/**
 * A small fault to be planted in the product, to show that the simulation would find one like it.
 *
 * @typedef {object} Mutant
 * @property {string} name
 * @property {number} promise Number of the promise that it breaks.
 * @property {number} [seed] A seed that found it, which is played first.
 * @property {string} file Below `provider/`.
 * @property {string} find A text that occurs there exactly once.
 * @property {string} replace What stands there instead.
 */

/** @type {(mutants: readonly Mutant[]) => readonly Mutant[]} */
export const mutants = (all) => all;
