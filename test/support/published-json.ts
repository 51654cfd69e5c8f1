/** The text of a file of `schemas/`, as the tool that makes them writes it. */
export async function publishedJson(value: unknown): Promise<string> {
  const library = await import("../../tools/lib/published-json.mjs");
  return library.publishedJson(value);
}
