import type { Runtime } from "../../../provider/deployment/runtime";
import { type DynamicProvider, dynamicProvider } from "../../../provider/engine/dynamic-provider";
import { keepingSecrets } from "../../../provider/engine/keeping-secrets";
import { providerText } from "../../../provider/engine/provider-text";
import type { JsonObject } from "../../../provider/model/json";
import { CloudSignalingHandler } from "../../../provider/resources/cloud-signaling/handler";
import { PrefixSetHandler } from "../../../provider/resources/prefix-set/handler";
import { PrefixSetEntryHandler } from "../../../provider/resources/prefix-set-entry/handler";
import { PrefixSetGroupHandler } from "../../../provider/resources/prefix-set-group/handler";
import type { TypeName } from "../scenario";
import { type Door, Partial, type Subject } from "./door";

const HANDLERS = {
  PrefixSet: PrefixSetHandler,
  PrefixSetEntry: PrefixSetEntryHandler,
  PrefixSetGroup: PrefixSetGroupHandler,
  CloudSignaling: CloudSignalingHandler,
};

/** The dynamic providers of a runtime, configured. */
export function dynamicProviders(runtime: Runtime, config: JsonObject): (type: TypeName) => DynamicProvider {
  const made = new Map<TypeName, DynamicProvider>();
  const get = (key: string) => config[key.replace(/^packetfilter:/, "")];
  for (const [type, Handler] of Object.entries(HANDLERS)) {
    const provider = keepingSecrets(dynamicProvider(new Handler(runtime), runtime), runtime.secrets);
    void provider.configure({ config: { get } });
    made.set(type as TypeName, provider);
  }
  return (type) => made.get(type) as DynamicProvider;
}

/** As the SDK's server of dynamic resources calls them: plain JSON goes in and out, and the constant text is an input and an output. */
export class DynamicDoor implements Door {
  readonly previews = false;

  constructor(private readonly get: (type: TypeName) => DynamicProvider) {}

  async check({ type }: Subject, olds: JsonObject, news: JsonObject) {
    const given = { ...news, __provider: providerText(type) };
    const { inputs, failures } = await this.get(type).check(copy(olds), copy(given));
    return { inputs: copy(inputs), failures: failures.map(({ reason }) => reason) };
  }

  async diff({ type }: Subject, id: string, old: { outputs: JsonObject }, news: JsonObject) {
    const { changes, replaces = [] } = await this.get(type).diff(id, copy(old.outputs), copy(news));
    return { replaces, ...(changes !== undefined && { changes }) };
  }

  async create({ type }: Subject, inputs: JsonObject) {
    return partially(async () => {
      const { id, outs } = await this.get(type).create(copy(inputs));
      return { id, outputs: { ...copy(outs), __provider: providerText(type) } };
    });
  }

  async read({ type }: Subject, id: string, old: { outputs: JsonObject }) {
    const { id: now, props, inputs } = await this.get(type).read(id, copy(old.outputs));
    const text = { __provider: providerText(type) };
    return { id: now, outputs: { ...copy(props), ...text }, ...(inputs && { inputs: { ...copy(inputs), ...text } }) };
  }

  async update({ type }: Subject, id: string, old: { outputs: JsonObject }, news: JsonObject) {
    return partially(async () => {
      const { outs } = await this.get(type).update(id, copy(old.outputs), copy(news));
      return { ...copy(outs), __provider: providerText(type) };
    });
  }

  async delete({ type }: Subject, id: string, outputs: JsonObject) {
    await this.get(type).delete(id, copy(outputs));
  }
}

/** A value as it travels: what is not plain JSON fails here, as it does on the wire. */
function copy(value: JsonObject): JsonObject {
  return plainCopy(value) as JsonObject;
}

async function partially<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { id, properties, message } = error as Error & { id?: string; properties?: JsonObject };
    if (!properties) throw error;
    throw new Partial(message, id, copy(properties));
  }
}

/** @throws {Error} for what the server cannot send: it fails after the change is done. */
function plainCopy(value: unknown, path = "result"): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map((member, at) => plainCopy(member, `${path}.${at}`));
  if (typeof value !== "object" || Object.getPrototypeOf(value) !== Object.prototype)
    throw new Error(`${path} is not plain JSON: ${String(value)}`);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plainCopy(member, `${path}.${key}`)]));
}
