import type { Runtime } from "../deployment/runtime";
import { messageOf } from "../model/errors";
import { withSentMembers } from "../model/given-entries";
import type { JsonObject } from "../model/json";
import { schema, zod } from "../model/schema";
import { type PrefixFileOptions, readPrefixFile } from "../prefixes";
import * as reading from "../settings/read-functions";
import type { Settings } from "../settings/settings";
import { marked, type Opened } from "./properties";
import { named } from "./spelling";

const fileSchema = schema(() => zod().looseObject({ file: zod().string() }));

/**
 * Calls a function of the plugin by its token, with the settings of its provider. Each answers with one member, as invokes return
 * objects.
 *
 * @throws {Error} naming the argument that is wrong, or the function that there is not, and nothing that a resource or argument keeps
 * as a secret
 */
export async function invoke(runtime: Runtime, token: string, { props: args, secrets }: Opened): Promise<JsonObject> {
  const props = named(args);
  runtime.secrets.record(marked({ props, secrets }, undefined));
  try {
    return await callFunction(runtime.settings, token, props);
  } catch (error) {
    throw new Error(runtime.secrets.hide(messageOf(error)));
  }
}

async function callFunction(settings: Settings, token: string, args: JsonObject): Promise<JsonObject> {
  switch (token) {
    case "packetfilter:index:getProfiles":
      return { profiles: await reading.getProfiles(settings, args) };
    case "packetfilter:index:getRules":
      return { rules: await reading.getRules(settings, args) };
    case "packetfilter:index:getMarks":
      return { marks: await reading.getMarks(settings, args) };
    case "packetfilter:index:getPrefixSet":
      return { entries: await reading.getPrefixSet(settings, args) };
    case "packetfilter:index:getSignalings":
      return { prefixes: await reading.getSignalings(settings, args) };
    case "packetfilter:index:readPrefixFile": {
      const { file, ...options } = reading.checkedArguments("readPrefixFile", fileSchema(), args);
      return { entries: withSentMembers(readPrefixFile(file, options as PrefixFileOptions)) };
    }
    default:
      throw new Error(`There is no function ${token}.`);
  }
}
