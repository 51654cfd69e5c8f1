import { hasUnknown } from "./unknown";

/**
 * Records what an old state holds, which is not foreign to whatever takes it over: a replacement that is created before the
 * old resource goes, another entry of a loop whose index shifts, a signaling under another name.
 *
 * @param connection the old `node` or `receiver`; nothing is recorded while it is unknown
 */
export function remember(connection: unknown, record: () => void): void {
  if (hasUnknown(connection)) return;
  try {
    record();
  } catch {
    // An old connection that is no longer in the configuration is reported when it is needed.
  }
}
