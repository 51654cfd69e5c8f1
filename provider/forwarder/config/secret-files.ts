import { pause } from "../../client/clock";
import { messageOf } from "../../model/errors";
import { TIMES } from "../defaults";
import type { Log, Troubles } from "../telling/troubles";
import type { ForwarderWorld } from "../world";
import type { LiveConfig } from "./config";

/** Keeps the secrets of a configuration as they are in their files: looked at now and then, and when one was not taken. */
export class SecretFiles {
  constructor(
    private readonly config: LiveConfig,
    private readonly parts: { readonly log: Log; readonly troubles: Troubles; readonly world: ForwarderWorld },
  ) {}

  /** Looks now and then, until the signal aborts. */
  async watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(this.parts.world, TIMES.secretsEveryMs, signal);
      if (!signal.aborted) await this.refresh();
    }
  }

  /** Reads the files again. One that cannot be read, or makes no sense, changes nothing and is told. */
  async refresh(): Promise<void> {
    const { log, troubles } = this.parts;
    try {
      if (await this.config.refresh()) log.info({}, "Secrets were read again from their files.");
      troubles.end("secrets", {}, "The files of secrets can be read again.");
    } catch (error) {
      troubles.begin("secrets", {}, `Secrets stay as they are: ${messageOf(error)}`);
    }
  }
}
