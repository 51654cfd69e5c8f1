import { OptionsError } from "../../client";

/**
 * Loads packages that only some configurations need, and that are therefore installed beside this one.
 *
 * @param who What needs them: `Sink "bus"`.
 * @throws {OptionsError} with the command that installs what is missing.
 */
export async function loadOptional<T>(who: string, packages: readonly string[], load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    throw new OptionsError(`${who} needs packages that are not there: npm install ${packages.join(" ")} (${reason}).`);
  }
}
