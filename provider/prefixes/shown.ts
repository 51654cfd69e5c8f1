/** A value as messages quote it, never longer than a line. */
export function shown(value: unknown): string {
  const text =
    typeof value === "object" && value !== null
      ? Array.isArray(value)
        ? "an array"
        : "an object"
      : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
