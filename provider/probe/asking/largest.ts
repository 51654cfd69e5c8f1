import { grouped } from "../../model/text";
import type { Answer } from "./answer";

/**
 * Finds a limit of the node by halving.
 *
 * @returns the largest number that is accepted; `isMet`, false where even the limit is; an answer to a larger one, absent where
 *   larger ones were answered by nothing.
 * @param tryNumber Asks with a number; `undefined` where the node broke the connection instead of an answer.
 * @param range `accepted` is known to be; more than `limit` is not tried.
 */
export async function largest(
  tryNumber: (number: number) => Promise<Answer | undefined>,
  range: { readonly accepted: number; readonly limit: number },
) {
  let refusal: Answer | undefined;
  const isAccepted = async (number: number) => {
    const answer = await tryNumber(number);
    if (answer?.isRefusal) refusal = answer;
    return answer?.isRefusal === false;
  };
  if (await isAccepted(range.limit)) return { most: range.limit, isMet: false, refusal: undefined };
  let [most, tooMuch] = [range.accepted, range.limit];
  // Limits are mostly powers of two or one less: looked at first, these spare most of the halving.
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
  return { most, isMet: true, refusal };
}

/** What a point says of a limit that was looked for. */
export function judgeLimit({ most, isMet, refusal }: Awaited<ReturnType<typeof largest>>) {
  const node = isMet ? `at most ${grouped(most)}` : `no limit was met up to ${grouped(most)}, the largest tried`;
  return { node, evidence: [refusal] };
}
