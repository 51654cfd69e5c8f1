/** Most cookies of one node, and most bytes of one with its name (RFC 6265, section 6.1: at least so many are to be kept). */
const MOST_COOKIES = 50;
const MOST_BYTES = 4_096;

/** Cookies of one node or receiver by name. Some nodes keep staged changes by session, and only the cookie names it. */
export class Cookies {
  private readonly values = new Map<string, string>();

  /**
   * Stores the cookies of an answer, the newest up to a limit. Ignores paths and expiry times: a connection has one path, and its
   * sessions are short.
   */
  take(given: string | readonly string[] | undefined): void {
    for (const text of [given ?? []].flat()) {
      const [, name, value] = /^\s*([^=;\s]+)=([^;]*)/.exec(text) ?? [];
      if (name === undefined || value === undefined) continue;
      if (Buffer.byteLength(name) + Buffer.byteLength(value) > MOST_BYTES) continue;
      // The newest is kept last: what is beyond the number goes from the front.
      this.values.delete(name);
      if (value === "" || /;\s*max-age=(0|-)/i.test(text)) continue;
      this.values.set(name, value.trim());
      const [oldest] = this.values.keys();
      if (this.values.size > MOST_COOKIES && oldest !== undefined) this.values.delete(oldest);
    }
  }

  get names(): string[] {
    return [...this.values.keys()];
  }

  /** Returns the headers with the stored cookies, or unchanged if the user configured a `cookie` header. */
  addTo(headers: Readonly<Record<string, string>>): Record<string, string> {
    if (this.values.size === 0 || headers.cookie !== undefined) return { ...headers };
    return { ...headers, cookie: [...this.values].map(([name, value]) => `${name}=${value}`).join("; ") };
  }
}
