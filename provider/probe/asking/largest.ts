import type { Answer } from "./answer";
import { Unclear } from "./outcome";

/**
 * Finds a limit of the node by halving.
 *
 * @returns `most`, the largest accepted number; `isMet`, false if even `limit` was accepted; an answer to a larger number.
 * @param tryNumber Asks with a number; `undefined` if the node broke the connection.
 * @param isGood True for an answer to a number that was accepted.
 * @param range Numbers from one that is known to be accepted to the largest one to try.
 */
export async function largest(
  tryNumber: (number: number) => Promise<Answer | undefined>,
  range: { readonly accepted: number; readonly limit: number },
  isGood: (answer: Answer) => boolean,
) {
  let refusal: Answer | undefined;
  const isAccepted = async (number: number) => {
    const answer = await tryNumber(number);
    const isTaken = answer !== undefined && isGood(answer);
    if (!isTaken && answer) refusal = answer;
    return isTaken;
  };
  if (await isAccepted(range.limit)) return { most: range.limit, isMet: false, refusal: undefined };
  let [most, tooMuch] = [range.accepted, range.limit];
  // Limits are mostly powers of two or one less: these first spare most of the halving.
  for (let power = 16; power < tooMuch; power *= 16) {
    if (power <= most) continue;
    if (await isAccepted(power)) most = power;
    else tooMuch = power;
  }
  while (tooMuch - most > 1) {
    const middle = Math.floor((most + tooMuch) / 2);
    if (await isAccepted(middle)) most = middle;
    else tooMuch = middle;
  }
  // A refusal may have had another reason than the number.
  if (!(await isAccepted(most)) || (await isAccepted(most + 1)))
    throw new Unclear(`of equal requests some are refused: with ${most} or ${most + 1}`, refusal && [refusal]);
  return { most, isMet: true, refusal };
}
