/** Cookies of one node or receiver by their names: some hold what is staged for a session, which nothing else tells. */
export class Cookies {
  private readonly values = new Map<string, string>();

  /** Keeps what an answer sets. Paths and times are not looked at: one connection has one place, and no session of ours is long. */
  take(given: string | readonly string[] | undefined): void {
    for (const text of [given ?? []].flat()) {
      const [, name, value] = /^\s*([^=;\s]+)=([^;]*)/.exec(text) ?? [];
      if (name === undefined || value === undefined) continue;
      if (value === "" || /;\s*max-age=(0|-)/i.test(text)) this.values.delete(name);
      else this.values.set(name, value.trim());
    }
  }

  /** Names of the cookies that are kept. */
  get names(): string[] {
    return [...this.values.keys()];
  }

  /** Headers with what was set before; as they are where the user has cookies of their own. */
  addTo(headers: Readonly<Record<string, string>>): Record<string, string> {
    if (this.values.size === 0 || headers.cookie !== undefined) return { ...headers };
    return { ...headers, cookie: [...this.values].map(([name, value]) => `${name}=${value}`).join("; ") };
  }
}
