/** Gathers an option that may be repeated; any other is refused when it is. */
export function collect(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

/** The same for names, of which several may stand in one value, with commas between them. */
export function collectNames(value: string, before: readonly string[]): string[] {
  const names = value.split(",").flatMap((name) => name.trim() || []);
  return [...before, ...names];
}
