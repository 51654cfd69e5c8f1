/** Of more, the last is taken for the answer. */
export const MAX_REDIRECTS = 5;

/**
 * Where an answer sends the request on, within its origin: 307 and 308 alone keep method and body (RFC 9110, section 15.4).
 * `undefined` for every other answer, and where it leads elsewhere.
 *
 * @param location The header of that name.
 * @param url What was asked.
 */
export function redirectTarget(status: number, location: string | undefined, url: string): URL | undefined {
  if ((status !== 307 && status !== 308) || location === undefined || !URL.canParse(location, url)) return undefined;
  const target = new URL(location, url);
  return target.origin === new URL(url).origin ? target : undefined;
}
