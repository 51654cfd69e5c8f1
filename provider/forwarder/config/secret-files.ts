import { pause } from "../../client/clock";
import { messageOf } from "../../model/errors";
import { TIMES } from "../defaults";
import type { Log, Troubles } from "../telling/troubles";
import type { ForwarderWorld } from "../world";
import type { LiveConfig } from "./config";

/** Reads the secrets of a configuration again from their files: every few seconds, and when one was refused. */
export class SecretFiles {
  constructor(
    private readonly config: LiveConfig,
    private readonly parts: { readonly log: Log; readonly troubles: Troubles; readonly world: ForwarderWorld },
  ) {}

  /** Reads them again every few seconds, until the signal aborts. */
  async watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(this.parts.world, TIMES.secretsEveryMs, signal);
      if (!signal.aborted) await this.refresh();
    }
  }

  /** Reads the files again. An unreadable or invalid one is reported and changes nothing. */
  async refresh(): Promise<void> {
    const { log, troubles } = this.parts;
    try {
      if (await this.config.refresh()) log.info({}, "Secrets were read again from their files.");
      troubles.end("secrets", {}, "The files of secrets can be read again.");
    } catch (error) {
      troubles.begin("secrets", {}, `Secrets are unchanged: ${messageOf(error)}`);
    }
  }
}
