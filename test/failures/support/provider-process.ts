import { Runtime } from "../../../provider/deployment/runtime";
import type { SentFiles } from "../../../provider/deployment/sent-files";
import type { DynamicProvider } from "../../../provider/engine/dynamic-provider";
import { Killed } from "../../simulation/engine/door";
import { dynamicProviders } from "../../simulation/engine/dynamic-door";
import type { TypeName } from "../../simulation/scenario";
import { HurriedWorld } from "./hurried-world";

export type { TypeName };

/** The stack's configuration, without the namespace. */
export type Config = Readonly<Record<string, unknown>>;

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
  private readonly provider: (type: TypeName) => DynamicProvider;

  constructor(
    config: Config,
    private readonly world: HurriedWorld = new HurriedWorld(),
    env: Readonly<Record<string, string>> = {},
    /** Notes of what it sends, which outlive it; none by default. */
    private readonly notes?: SentFiles,
  ) {
    const print = (line: string) => this.printed.push(line);
    this.runtime = new Runtime({ env, print, world, ...(notes && { notes }) });
    this.provider = dynamicProviders(this.runtime, config);
  }

  /** A call as the server makes it; a killed process never answers. */
  async call<M extends Exclude<keyof DynamicProvider, "configure" | "args">>(
    type: TypeName,
    method: M,
    ...args: Parameters<DynamicProvider[M]>
  ): Promise<Awaited<ReturnType<DynamicProvider[M]>>> {
    const provider = this.provider(type) as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    const answer = provider[method]?.(...args) ?? Promise.reject();
    const killed = this.world.killed.then(() => Promise.reject(new Killed("the plugin exited")));
    return (await Promise.race([answer, killed])) as Awaited<ReturnType<DynamicProvider[M]>>;
  }

  /** The engine ends the process, killed or not: a killed one leaves its notes. */
  end(): Promise<void> {
    if (!this.world.isKilled) this.notes?.end();
    return this.world.end();
  }
}
