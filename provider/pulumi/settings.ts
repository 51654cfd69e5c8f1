import * as pulumi from "@pulumi/pulumi";
import { type Environment, readSettings, type Settings } from "../resources/settings";

/** What the running program's stack configuration and the environment say. */
export function programSettings(env: Environment = process.env): Settings {
  const config = new pulumi.Config("packetfilter");
  return readSettings((key) => config.get(key), env);
}
