/** Cookies of one node or receiver by name. Some nodes keep staged changes by session, and only the cookie names it. */
export class Cookies {
  private readonly values = new Map<string, string>();

  /** Stores the cookies of an answer. Ignores paths and expiry times: a connection has one path, and its sessions are short. */
  take(given: string | readonly string[] | undefined): void {
    for (const text of [given ?? []].flat()) {
      const [, name, value] = /^\s*([^=;\s]+)=([^;]*)/.exec(text) ?? [];
      if (name === undefined || value === undefined) continue;
      if (value === "" || /;\s*max-age=(0|-)/i.test(text)) this.values.delete(name);
      else this.values.set(name, value.trim());
    }
  }

  /** Names of the stored cookies. */
  get names(): string[] {
    return [...this.values.keys()];
  }

  /** Returns the headers with the stored cookies, or unchanged if the user configured a `cookie` header. */
  addTo(headers: Readonly<Record<string, string>>): Record<string, string> {
    if (this.values.size === 0 || headers.cookie !== undefined) return { ...headers };
    return { ...headers, cookie: [...this.values].map(([name, value]) => `${name}=${value}`).join("; ") };
  }
}
