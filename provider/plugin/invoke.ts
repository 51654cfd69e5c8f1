import type { z } from "zod";
import type { Runtime } from "../deployment/runtime";
import { SECRETS_KEY } from "../engine/secret-names";
import { messageOf } from "../model/errors";
import type { JsonObject } from "../model/json";
import { MARK_TYPES } from "../model/mark";
import { issuePath, schema, zod } from "../model/schema";
import { type PrefixFileOptions, readPrefixFile } from "../prefixes";
import * as reading from "../settings/read-functions";
import type { Settings } from "../settings/settings";
import type { Opened } from "./properties";
import { named } from "./spelling";

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
 * @throws {Error} naming the argument that is wrong, or the function that there is not, and nothing that a resource or argument keeps
 * as a secret
 */
export async function invoke(runtime: Runtime, token: string, { props: args, secrets }: Opened): Promise<JsonObject> {
  const props = named(args);
  runtime.secrets.learn({ ...props, [SECRETS_KEY]: secrets });
  try {
    return await called(runtime.settings, token, props);
  } catch (error) {
    throw new Error(runtime.secrets.hide(messageOf(error)));
  }
}

async function called(settings: Settings, token: string, args: JsonObject): Promise<JsonObject> {
  const { ofArena, ofProfile, ofTable, ofSet, ofReceiver, ofFile } = argumentSchemas();
  switch (token) {
    case "packetfilter:index:getProfiles":
      return { profiles: await reading.getProfiles(settings, given(token, ofArena, args)) };
    case "packetfilter:index:getRules":
      return { rules: await reading.getRules(settings, given(token, ofProfile, args)) };
    case "packetfilter:index:getMarks":
      return { marks: await reading.getMarks(settings, given(token, ofTable, args)) };
    case "packetfilter:index:getPrefixSet":
      return { entries: await reading.getPrefixSet(settings, given(token, ofSet, args)) };
    case "packetfilter:index:getSignalings":
      return { prefixes: await reading.getSignalings(settings, given(token, ofReceiver, args)) };
    case "packetfilter:index:readPrefixFile": {
      const { file, ...options } = given(token, ofFile, args);
      return { entries: readPrefixFile(file, options as PrefixFileOptions) };
    }
    default:
      throw new Error(`There is no function ${token}.`);
  }
}

/** @throws {Error} with a sentence for each argument that is wrong */
function given<T>(token: string, argumentsOf: z.ZodType<T>, args: JsonObject): T {
  const result = argumentsOf.safeParse(args);
  if (result.success) return result.data;
  const problems = result.error.issues.map(
    ({ path, message }) => `${[issuePath(path), message].filter(Boolean).join(": ")}.`,
  );
  throw new Error(`${token}: ${problems.join(" ")}`);
}
