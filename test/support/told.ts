/** An answer with a status or headers of its own; the body is a text, or sent as JSON. */
export class Told {
  constructor(
    readonly status: number,
    readonly body: unknown = "",
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}
