import { PacketFilterError } from "../../model/errors";

/** A reading was not taken over, since a sink that pauses when it is full has no room for its records. */
export class SpoolFull extends PacketFilterError {
  override readonly name = "SpoolFull";

  constructor(readonly sinks: readonly string[]) {
    super(
      `The spool is full for ${sinks.map((name) => `sink "${name}"`).join(" and ")}: what they take is not polled until they have delivered.`,
      "spool-full",
    );
  }
}
