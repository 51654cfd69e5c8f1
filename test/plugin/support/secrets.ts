/** A secret as it is on the wire. */
export const secret = (value: unknown) => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  value,
});

/** Part of properties on the wire that an engine would keep in the clear. */
export function inTheClear(properties: unknown): string {
  return JSON.stringify(properties, (_, value) =>
    value?.["4dabf18193072939515e22adb298388d"] === undefined ? value : "[secret]",
  );
}
