import { Runtime } from "../../../provider/deployment/runtime";
import type { SentFiles } from "../../../provider/deployment/sent-files";
import { type DynamicProvider, dynamicProvider } from "../../../provider/engine/dynamic-provider";
import { keepingSecrets } from "../../../provider/engine/keeping-secrets";
import type { JsonObject } from "../../../provider/model/json";
import { CloudSignalingHandler } from "../../../provider/resources/cloud-signaling/handler";
import { PrefixSetHandler } from "../../../provider/resources/prefix-set/handler";
import { PrefixSetEntryHandler } from "../../../provider/resources/prefix-set-entry/handler";
import { PrefixSetGroupHandler } from "../../../provider/resources/prefix-set-group/handler";
import { HurriedWorld } from "./hurried-world";

/** The types of resources. */
export type TypeName = "PrefixSet" | "PrefixSetEntry" | "PrefixSetGroup" | "CloudSignaling";

/** The stack's configuration, without the namespace. */
export type Config = Readonly<Record<string, unknown>>;

const NAMESPACE = "packetfilter:";

/** The process was killed while a call was open. */
export class ProcessKilled extends Error {}

/** A provider process as the engine sees it. */
export interface Provider {
  /** Output of the process. */
  readonly printed: readonly string[];
  call<M extends Exclude<keyof DynamicProvider, "configure" | "args">>(
    type: TypeName,
    method: M,
    ...args: Parameters<DynamicProvider[M]>
  ): Promise<Awaited<ReturnType<DynamicProvider[M]>>>;
  end(): Promise<void>;
}

/** One provider process of one deployment, in this process: a runtime of its own behind the four providers. */
export class ProviderProcess implements Provider {
  /** Output of the process. */
  readonly printed: string[] = [];
  readonly runtime: Runtime;
  private readonly providers: Record<TypeName, DynamicProvider>;

  constructor(
    config: Config,
    private readonly world: HurriedWorld = new HurriedWorld(),
    env: Readonly<Record<string, string>> = {},
    /** Notes of what it sends, which outlive it; none by default. */
    private readonly notes?: SentFiles,
  ) {
    const print = (line: string) => this.printed.push(line);
    const runtime = new Runtime({ env, print, world, ...(notes && { notes }) });
    this.runtime = runtime;
    this.providers = {
      PrefixSet: keepingSecrets(dynamicProvider(new PrefixSetHandler(runtime), runtime), runtime.secrets),
      PrefixSetEntry: keepingSecrets(dynamicProvider(new PrefixSetEntryHandler(runtime), runtime), runtime.secrets),
      PrefixSetGroup: keepingSecrets(dynamicProvider(new PrefixSetGroupHandler(runtime), runtime), runtime.secrets),
      CloudSignaling: keepingSecrets(dynamicProvider(new CloudSignalingHandler(runtime), runtime), runtime.secrets),
    };
    // A plain slice: each process asks for some hundred keys, and a walk starts thousands of them.
    const get = (key: string) => config[key.startsWith(NAMESPACE) ? key.slice(NAMESPACE.length) : key];
    for (const provider of Object.values(this.providers)) void provider.configure({ config: { get } });
  }

  /** A call as the server makes it: arguments and results travel as plain JSON, a killed process never answers. */
  async call<M extends Exclude<keyof DynamicProvider, "configure" | "args">>(
    type: TypeName,
    method: M,
    ...args: Parameters<DynamicProvider[M]>
  ): Promise<Awaited<ReturnType<DynamicProvider[M]>>> {
    const provider = this.providers[type] as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    const answer = provider[method]?.(...(structuredClone(args) as unknown[])) ?? Promise.reject();
    const killed = this.world.killed.then(() => Promise.reject(new ProcessKilled("the plugin exited")));
    const result = await Promise.race([answer, killed]);
    if (method !== "delete") requirePlain(result);
    return result as Awaited<ReturnType<DynamicProvider[M]>>;
  }

  /** The engine ends the process, killed or not: a killed one leaves its notes. */
  end(): Promise<void> {
    if (!this.world.isKilled) this.notes?.end();
    return this.world.end();
  }
}

/** @throws {Error} for what the server cannot send: it fails after the change is done. */
function requirePlain(value: unknown, path = "result"): void {
  if (value === null || typeof value === "string" || typeof value === "boolean") return;
  if (typeof value === "number" && Number.isFinite(value)) return;
  const isPlain =
    Array.isArray(value) || (typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype);
  if (!isPlain) throw new Error(`${path} is not plain JSON: ${String(value)}`);
  for (const [key, member] of Object.entries(value as JsonObject)) requirePlain(member, `${path}.${key}`);
}
