/** Thrown at the end of an answer in which the node refuses the list, in its own words. */
export class ListRefused extends Error {
  override readonly name = "ListRefused";
}
