/** What the user is told during a deployment, beside errors. */
export class Notices {
  private readonly said = new Set<string>();

  /** @param print Shows one line. */
  constructor(private readonly print: (line: string) => void) {}

  /** Shows a line once; the engine asks the same question twice for one resource. */
  info(line: string): void {
    if (this.said.has(line)) return;
    this.said.add(line);
    this.print(line);
  }

  /** Shows a warning, once. */
  warn(message: string): void {
    this.info(`warning: ${message}`);
  }
}

/** Shows a line as one of the stack: the engine takes what a dynamic provider prints. */
export function toEngine(line: string): void {
  process.stdout.write(`${line}\n`);
}
