import type { DynamicProvider } from "../../../provider/engine/dynamic-provider";
import type { Config, Provider, TypeName } from "../../failures/support/provider-process";
import { Killed } from "../../simulation/engine/door";
import { CallFailure, type ProviderServer } from "./provider-server";

/** A provider process for the small engine that is the real server, spoken to over gRPC. */
export class ServedProcess implements Provider {
  constructor(private readonly server: ProviderServer) {}

  get printed(): readonly string[] {
    return this.server.stdout.split("\n");
  }

  async call<M extends Exclude<keyof DynamicProvider, "configure" | "args">>(
    _type: TypeName,
    method: M,
    ...args: Parameters<DynamicProvider[M]>
  ): Promise<Awaited<ReturnType<DynamicProvider[M]>>> {
    try {
      return (await this.answer(method, args)) as Awaited<ReturnType<DynamicProvider[M]>>;
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      if (this.server.isKilled) throw new Killed(error.message);
      throw Object.assign(new Error(error.error.details), error.partial);
    }
  }

  async end(): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }

  private async answer(method: string, args: readonly unknown[]): Promise<unknown> {
    const [first, second, third] = args as [Config & string, Config, Config];
    const { server } = this;
    switch (method) {
      case "check":
        return server.check(second, first);
      case "diff": {
        const { changes, replaces } = await server.diff(first, second, third);
        return { replaces, ...(changes !== "unknown" && { changes: changes === "some" }) };
      }
      case "create": {
        const { id, outputs } = await server.create(first);
        return { id, outs: outputs };
      }
      case "read": {
        const { id, outputs, inputs } = await server.read(first, second);
        return { id, props: outputs, inputs };
      }
      case "update":
        return { outs: await server.update(first, second, third) };
      default:
        return server.delete(first, second);
    }
  }
}
