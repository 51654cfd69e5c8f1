import type { JsonObject } from "../model/json";
import { MARK_TYPES } from "../model/mark";
import { schema, zod } from "../model/schema";
import { type PrefixFileOptions, readPrefixFile } from "../prefixes";
import * as reading from "../resources/read-functions";
import type { Settings } from "../resources/settings";

const argumentSchemas = schema(() => {
  const z = zod();
  const node = { node: z.unknown().optional() };
  const ofArena = z.strictObject({ arena: z.string(), ...node });
  const ofProfile = ofArena.extend({ profile: z.string() });
  return {
    ofArena,
    ofProfile,
    ofTable: ofProfile.extend({ type: z.enum(MARK_TYPES), userArena: z.string().optional() }),
    ofSet: ofArena.extend({ profile: z.string().optional(), set: z.string() }),
    ofReceiver: z.strictObject({ receiver: z.unknown().optional() }),
    ofFile: z.looseObject({ file: z.string() }),
  };
});

/**
 * Calls a function of the plugin by its token, with the settings of its provider. Each answers with one member, as invokes return
 * objects.
 *
 * @throws {Error} naming the argument that is wrong, or the function that there is not
 */
export async function invoke(settings: Settings, token: string, args: JsonObject): Promise<JsonObject> {
  const { ofArena, ofProfile, ofTable, ofSet, ofReceiver, ofFile } = argumentSchemas();
  switch (token) {
    case "packetfilter:index:getProfiles":
      return { profiles: await reading.getProfiles(settings, ofArena.parse(args)) };
    case "packetfilter:index:getRules":
      return { rules: await reading.getRules(settings, ofProfile.parse(args)) };
    case "packetfilter:index:getMarks":
      return { marks: await reading.getMarks(settings, ofTable.parse(args)) };
    case "packetfilter:index:getPrefixSet":
      return { entries: await reading.getPrefixSet(settings, ofSet.parse(args)) };
    case "packetfilter:index:getSignalings":
      return { prefixes: await reading.getSignalings(settings, ofReceiver.parse(args)) };
    case "packetfilter:index:readPrefixFile": {
      const { file, ...options } = ofFile.parse(args);
      return { entries: readPrefixFile(file, options as PrefixFileOptions) };
    }
    default:
      throw new Error(`There is no function ${token}.`);
  }
}
