import * as pulumi from "@pulumi/pulumi";
import { type LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import {
  DeploymentInfo,
  type RegisterResourceRequest,
  RegisterResourceResponse,
  ResourceMonitorFeature,
} from "@pulumi/pulumi/proto/resource_pb";
import { setMockOptions } from "@pulumi/pulumi/runtime/settings";
import * as state from "@pulumi/pulumi/runtime/state";
import { CloudSignaling, PrefixSet, PrefixSetEntry, PrefixSetGroup } from "../../../provider";
import { messageOf } from "../../../provider/model/errors";
import { type JsonObject, UNKNOWN } from "../../../provider/model/json";
import type { Declared, Door } from "../scenario";

/** A registration of a resource as it reaches the engine. */
export interface Registration {
  readonly declared: Declared;
  readonly inputs: JsonObject;
  readonly ignoreChanges: readonly string[];
}

/** Registrations of a program, until it fails. */
export interface Registered {
  readonly registrations: readonly Registration[];
  /** Lines of the program's own log. */
  readonly printed: readonly string[];
  /** Why the program failed, if it did. */
  readonly error?: string;
}

/** Parts of the SDK that its types leave out: each program has settings, configuration and log of its own. */
const { getStore, withLocalStorage } = state as unknown as {
  getStore(): { settings: { engine: unknown } };
  withLocalStorage<T>(work: () => Promise<T>): Promise<T>;
};
const { waitForRPCs } = pulumi.runtime as unknown as { waitForRPCs(): Promise<void> };

// Each resource takes a whole stack trace, for the engine's reports alone.
Object.assign(pulumi.Resource, { stackTrace: () => [] });

const CLASSES = { PrefixSet, PrefixSetEntry, PrefixSetGroup, CloudSignaling };

/** Programs that ran: one that runs again registers the same. */
const known = new Map<string, Registered>();
/** Most programs that are kept. */
const MOST_KNOWN = 200;

/** Runs a program, or recalls what it registered. */
export async function runProgram(door: Door, program: readonly Declared[], run: Surroundings): Promise<Registered> {
  if (door === "plugin") return asWritten(program, run);
  const key = JSON.stringify([program, run]);
  const limit = Error.stackTraceLimit;
  // The SDK takes a stack trace for each promise of each output.
  Error.stackTraceLimit = 0;
  try {
    const found = known.get(key) ?? (await runClasses(program, run));
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(key, found);
    return found;
  } finally {
    Error.stackTraceLimit = limit;
  }
}

interface Surroundings {
  readonly stack: string;
  readonly config: JsonObject;
  readonly preview: boolean;
}

/** Registrations of a language without our classes. */
function asWritten(program: readonly Declared[], { preview }: Surroundings): Registered {
  const registrations = program.map((declared) => ({
    declared,
    inputs: written(declared, (value) => ({ [SIGNATURE]: SECRET, value }), preview ? () => UNKNOWN : undefined),
    ignoreChanges: declared.options?.ignoreChanges ?? [],
  }));
  return { registrations, printed: [] };
}

/** Runs a program in TypeScript, with our classes. */
async function runClasses(program: readonly Declared[], { stack, config, preview }: Surroundings): Promise<Registered> {
  const found: Registration[] = [];
  const printed: string[] = [];
  const byName = new Map(program.map((declared) => [declared.name, declared]));
  const monitor = new Monitor((request) => {
    const declared = byName.get(request.getName());
    if (!declared || !request.getCustom()) return;
    const inputs = request.getObject()?.toJavaScript() as JsonObject;
    const { __provider: _, ...rest } = inTheClear(inputs) as JsonObject;
    found.push({ declared, inputs: rest, ignoreChanges: request.getIgnorechangesList() });
  });
  // Registrations arrive as their arguments resolve.
  const inOrder = () => program.flatMap((declared) => found.filter((one) => one.declared === declared));
  return withLocalStorage(async () => {
    setMockOptions(monitor as never, "sim", stack, preview);
    getStore().settings.engine = new Log(printed);
    const settings = Object.entries(config).map(([key, value]) => [`packetfilter:${key}`, text(value)]);
    pulumi.runtime.setAllConfig(Object.fromEntries(settings));
    let failed: string | undefined;
    await pulumi.runtime.runInPulumiStack(async () => {
      try {
        for (const declared of program) declare(declared, preview);
      } catch (error) {
        failed = messageOf(error);
      }
    });
    await waitForRPCs();
    return { registrations: inOrder(), printed, ...(failed !== undefined && { error: failed }) };
  });
}

/** Marks of a secret on the wire. The engine takes them off for a dynamic provider. */
export const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";

/** Arguments with those hidden that are secret, and in a preview without the value of those that depend on other resources. */
function written(
  { args, options = {} }: Declared,
  hide: (value: unknown) => unknown,
  withhold: (value: unknown) => unknown = (value) => value,
): JsonObject {
  const { secret = [], unknown = [] } = options;
  const members = Object.entries(args).map(([name, value]) => {
    const known = unknown.includes(name) ? withhold(value) : value;
    return [name, secret.includes(name) ? hide(known) : known];
  });
  return Object.fromEntries(members);
}

function inTheClear(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inTheClear);
  if (typeof value !== "object" || value === null) return value;
  if (SIGNATURE in value) return inTheClear((value as { value?: unknown }).value);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inTheClear(member)]));
}

function declare(declared: Declared, preview: boolean): void {
  const { type, name, options = {} } = declared;
  const args = written(declared, pulumi.secret, preview ? () => pulumi.output(pulumi.unknown) : undefined);
  const { protect, retainOnDelete, deleteBeforeReplace, ignoreChanges, replaceOnChanges } = options;
  new CLASSES[type](name, args as never, {
    ...(protect !== undefined && { protect }),
    ...(retainOnDelete !== undefined && { retainOnDelete }),
    ...(deleteBeforeReplace !== undefined && { deleteBeforeReplace }),
    ...(ignoreChanges && { ignoreChanges: [...ignoreChanges] }),
    ...(replaceOnChanges && { replaceOnChanges: [...replaceOnChanges] }),
  });
}

/** A value of the configuration, as the engine hands it over. */
function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Takes what a program logs. */
class Log {
  constructor(private readonly printed: string[]) {}

  log(request: LogRequest, done: () => void): void {
    const { WARNING, ERROR } = LogSeverity;
    const severity = request.getSeverity();
    if (severity !== LogSeverity.DEBUG) {
      const mark = severity === WARNING ? "warning: " : severity === ERROR ? "error: " : "";
      this.printed.push(`${mark}${request.getMessage()}`);
    }
    done();
  }

  setRootResource(_request: object, answer: (error: null, response: object) => void): void {
    answer(null, {});
  }
}

/** Takes the registrations of a program, and answers each at once. */
class Monitor {
  constructor(private readonly take: (request: RegisterResourceRequest) => void) {}

  getDeploymentInfo(_request: object, answer: (error: null, response: DeploymentInfo) => void): void {
    const info = new DeploymentInfo();
    const { RESOURCE_MONITOR_FEATURE_SECRETS, RESOURCE_MONITOR_FEATURE_ALIAS_SPECS } = ResourceMonitorFeature;
    info.setSupportedfeaturesList([RESOURCE_MONITOR_FEATURE_SECRETS, RESOURCE_MONITOR_FEATURE_ALIAS_SPECS]);
    answer(null, info);
  }

  registerResource(
    request: RegisterResourceRequest,
    answer: (error: null, response: RegisterResourceResponse) => void,
  ): void {
    this.take(request);
    const urn = `urn:pulumi:stack::sim::${request.getType()}::${request.getName()}`;
    const response = new RegisterResourceResponse();
    response.setUrn(urn);
    response.setObject(request.getObject());
    answer(null, response);
  }

  registerResourceOutputs(_request: object, answer: (error: null, response: object) => void): void {
    answer(null, {});
  }
}
