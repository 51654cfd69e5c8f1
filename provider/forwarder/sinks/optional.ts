import { OptionsError } from "../../client";
import { messageOf } from "../../model/errors";

/**
 * Loads packages that only some configurations need, and that are therefore installed beside this one.
 *
 * @param user What needs them: `Sink "bus"`.
 * @throws {OptionsError} with the command that installs what is missing.
 */
export async function loadOptional<T>(user: string, packages: readonly string[], load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const [reason] = messageOf(error).split("\n");
    throw new OptionsError(`${user} needs packages that are not there: npm install ${packages.join(" ")} (${reason}).`);
  }
}
