import type { VirtualClock } from "../time/clock";
import type { ControlledEmulator } from "./subject";

/** What of the virtual clock can be used from afar. */
type ClockMember = "now" | "ms" | "frozen" | "freeze" | "advance" | "resume";

/** What is known once and for all when a client connects. */
type FixedMember = "endpoint" | "signalingUrl" | "testSignalingUrl" | "control" | "controlToken" | "tls";

/** Every member that an operation of the control API stands behind, those of the clock as `clock.now`. */
type Members = Omit<ControlledEmulator, FixedMember | "clock" | "replay" | "seedNumber"> & {
  readonly [Name in ClockMember as `clock.${Name}`]: VirtualClock[Name];
};

/** Its name. */
type MemberName = keyof Members;

/** What a method takes; nothing, where the member is no method. */
type Arguments<Name extends MemberName> = Members[Name] extends (...args: infer Args) => unknown ? Args : [];

/** What a member gives, or a promise of it. */
type Result<Name extends MemberName> = Awaited<
  Members[Name] extends (...args: never[]) => infer Given ? Given : Members[Name]
>;

type Remote<Name extends MemberName> = Members[Name] extends (...args: infer Args) => infer Given
  ? (...args: Args) => Promise<Awaited<Given>>
  : Promise<Members[Name]>;

/** The same members from afar: methods and getters give promises. */
export type RemoteMembers = {
  readonly [Name in MemberName as Name extends `clock.${string}` ? never : Name]: Remote<Name>;
} & Readonly<Pick<ControlledEmulator, FixedMember>> & {
    readonly clock: { readonly [Name in ClockMember]: Remote<`clock.${Name}`> };
  };

/** What of a request the arguments of a method become. */
export interface RequestParts {
  readonly path?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** What a fault needs that was set from afar. */
export interface FaultRemover {
  removeFault(id: number): Promise<void>;
}

/** How a method of the client is one request, and what it makes of the answer. */
interface ClientCall<Args extends readonly unknown[], Answer, Given> {
  readonly request?: (...args: Args) => RequestParts;
  readonly result: (answer: Answer, client: FaultRemover) => Given;
}

/** The methods, and the getters, of which an operation is the other end. */
export type ClientCalls<Answer> = {
  readonly [Name in MemberName]?: ClientCall<Arguments<Name>, Answer, Result<Name>>;
};

/** The same where its types do not matter. */
export interface AnyClientCall {
  readonly request?: (...args: unknown[]) => RequestParts;
  readonly result: (answer: unknown, client: FaultRemover) => unknown;
}

/** The result of methods that give nothing. */
export const nothing = (): void => {};

/** The answer as it is. */
export const asItIs = <T>(answer: T): T => answer;
