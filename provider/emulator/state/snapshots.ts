import type { EmulatorState } from "./state";

/** States that were kept under a name. */
export class Snapshots {
  private readonly kept = new Map<string, EmulatorState>();

  names(): string[] {
    return [...this.kept.keys()];
  }

  get(name: string): EmulatorState | undefined {
    return this.kept.get(name);
  }

  set(name: string, state: EmulatorState): void {
    this.kept.set(name, state);
  }

  /** False when there is no snapshot of this name. */
  delete(name: string): boolean {
    return this.kept.delete(name);
  }
}
