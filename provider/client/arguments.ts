/** The elements of an argument that is a list of any kind. @throws {TypeError} for a text, a record or anything else */
export function listOf<T>(name: string, given: Iterable<T> & object): T[] {
  if (typeof given === "object" && given !== null && Symbol.iterator in given) return [...given];
  throw new TypeError(`\`${name}\` is not a list: give an array, a Set or another iterable.`);
}
