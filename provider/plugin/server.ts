import { Server, type ServerUnaryCall, type sendUnaryData, type UntypedServiceImplementation } from "@grpc/grpc-js";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { JsonObject } from "../model/json";
import type { DynamicProvider } from "../resources/dynamic-provider";
import { SECRET_SETTINGS } from "../resources/secret-names";
import { type Difference, detailedDiff, leftToDo } from "./detailed-diff";
import type { EngineLog } from "./engine-log";
import { EngineFailure } from "./failures";
import { close, marked, type Opened, open } from "./properties";
import { type PluginResource, resourceOf } from "./resources";

/** Milliseconds in which an answer is on its way to an engine on the same machine. */
const ANSWERED_MS = 50;

/** What the server is made of. */
export interface PluginParts {
  readonly version: string;
  /** The schema as JSON text. */
  readonly schema: () => string;
  /** The handler of a type. */
  readonly get: (type: string) => DynamicProvider;
  /** Sentences about a configuration that make no sense, each with the key that it is about. */
  readonly configProblems: (config: JsonObject) => readonly { property: string; reason: string }[];
  /** A read function by its token. */
  readonly invoke: (token: string, args: JsonObject) => Promise<JsonObject>;
  readonly log: EngineLog;
  /** Ends what is in hand, since the engine was interrupted. */
  readonly cancel: () => void;
}

/** The engine's protocol over the handlers, one process a provider instance (docs/contributing/decisions/plugin.md). */
export function pluginServer(parts: PluginParts): Server {
  const { log } = parts;
  const server = new Server({ "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 });
  server.addService(ResourceProviderService as never, {
    handshake: unary(parts, async (request: messages.ProviderHandshakeRequest) => {
      log.connect(request.getEngineAddress());
      const answer = new messages.ProviderHandshakeResponse();
      answer.setAcceptSecrets(true);
      answer.setAcceptResources(false);
      answer.setAcceptOutputs(false);
      return answer;
    }),
    getPluginInfo: unary(parts, async () => {
      const info = new PluginInfo();
      info.setVersion(parts.version);
      return info;
    }),
    getSchema: unary(parts, async () => {
      const answer = new messages.GetSchemaResponse();
      answer.setSchema(parts.schema());
      return answer;
    }),
    checkConfig: unary(parts, async (request: messages.CheckRequest) => {
      const { props, secrets } = open(request.getNews());
      const answer = new messages.CheckResponse();
      answer.setInputs(close(props, [...secrets, ...SECRET_SETTINGS]));
      answer.setFailuresList(parts.configProblems(props).map(checkFailure));
      return answer;
    }),
    // Changed credentials or addresses update what is there: a replaced provider would replace all its resources.
    diffConfig: unary(parts, async (request: messages.DiffRequest) => {
      const answer = new messages.DiffResponse();
      const differences = detailedDiff(open(request.getOldInputs()).props, open(request.getNews()).props);
      return withDifferences(answer, differences, []);
    }),
    configure: unary(parts, async (request: messages.ConfigureRequest) => {
      const { props } = open(request.getArgs());
      await parts.get("PrefixSet").configure({ config: { get: (key) => props[key.replace(/^packetfilter:/, "")] } });
      const answer = new messages.ConfigureResponse();
      answer.setAcceptsecrets(true);
      answer.setSupportspreview(true);
      answer.setAcceptresources(false);
      answer.setAcceptoutputs(false);
      return answer;
    }),
    invoke: unary(parts, async (request: messages.InvokeRequest) => {
      const answer = new messages.InvokeResponse();
      answer.setReturn(close(await parts.invoke(request.getTok(), open(request.getArgs()).props), []));
      return answer;
    }),
    check: resource(parts, async (request: messages.CheckRequest, { handler, read, write }) => {
      const news = open(request.getNews());
      const { inputs, failures } = await handler.check(read(open(request.getOlds())), read(news), request.getUrn());
      const answer = new messages.CheckResponse();
      answer.setInputs(write(inputs, news.secrets));
      answer.setFailuresList(failures.map(checkFailure));
      return answer;
    }),
    diff: resource(parts, async (request: messages.DiffRequest, { handler, read }) => {
      const [olds, news] = [open(request.getOlds()), open(request.getNews())];
      const { changes, replaces = [] } = await handler.diff(request.getId(), read(olds), read(news), request.getUrn());
      const differences = changes === false ? [] : detailedDiff(open(request.getOldInputs()).props, news.props);
      const shown = [...disclosed(olds, news), ...differences];
      const left = changes === true && shown.length === 0 ? leftToDo(olds.props, news.props) : [];
      const answer = withDifferences(new messages.DiffResponse(), [...shown, ...left], replaces);
      if (changes === true) answer.setChanges(messages.DiffResponse.DiffChanges.DIFF_SOME);
      return answer;
    }),
    create: resource(parts, async (request: messages.CreateRequest, { handler, read, write, foreseen }) => {
      const inputs = open(request.getProperties());
      const answer = new messages.CreateResponse();
      if (request.getPreview()) {
        answer.setProperties(foreseen(inputs));
        return answer;
      }
      const { id, outs } = await handler.create(read(inputs));
      answer.setId(id);
      answer.setProperties(write(outs, inputs.secrets));
      return answer;
    }),
    read: resource(parts, async (request: messages.ReadRequest, { kind, handler, read, write }) => {
      const state = open(request.getProperties());
      const isImport = Object.keys(state.props).length === 0;
      const { id, secrets, props } = isImport
        ? importedBy(kind, request.getId(), open(request.getInputs()))
        : { ...state, id: request.getId() };
      const found = await handler.read(id, read({ props, secrets }));
      const answer = new messages.ReadResponse();
      answer.setId(found.id);
      if (found.id === "") return answer;
      answer.setProperties(write(found.props, secrets));
      answer.setInputs(write(found.inputs ?? {}, secrets));
      return answer;
    }),
    update: resource(parts, async (request: messages.UpdateRequest, { handler, read, write, foreseen }) => {
      const [state, news] = [open(request.getOlds()), open(request.getNews())];
      const answer = new messages.UpdateResponse();
      if (request.getPreview()) {
        answer.setProperties(foreseen(news));
        return answer;
      }
      const { outs } = await handler.update(request.getId(), read(state), read(news));
      answer.setProperties(write(outs, news.secrets));
      return answer;
    }),
    delete: resource(parts, async (request: messages.DeleteRequest, { handler, read }) => {
      await handler.delete(request.getId(), read(open(request.getProperties())));
      return new Empty();
    }),
    cancel: unary(parts, async () => {
      // The engine gets its answer first: a process that has nothing in hand ends at once.
      setTimeout(parts.cancel, ANSWERED_MS);
      return new Empty();
    }),
  } satisfies UntypedServiceImplementation);
  return server;
}

/** What each method about a resource works with. */
interface Subject {
  readonly kind: PluginResource;
  readonly handler: DynamicProvider;
  readonly read: (opened: Opened) => JsonObject;
  readonly write: (props: JsonObject, secrets: readonly string[]) => Struct;
  /** What a preview answers. Of a state nothing is in it: an update may change each output that the arguments do not tell. */
  readonly foreseen: (inputs: Opened) => Struct;
}

/** A request about a resource; the type stands in its urn, and in a member of its own since engines send that. */
interface AboutResource {
  getUrn(): string;
  getType(): string;
}

function resource<Request extends AboutResource, Response>(
  parts: PluginParts,
  work: (request: Request, subject: Subject) => Promise<Response>,
) {
  return unary<Request, Response>(parts, (request) =>
    parts.log.about(request.getUrn(), async () => {
      const kind = resourceOf(request.getType() || typeIn(request.getUrn()));
      const { repeats } = kind;
      const seen = new Set<string>();
      const write = (props: JsonObject, secrets: readonly string[]) => close(props, secrets, repeats);
      try {
        return await work(request, {
          kind,
          handler: parts.get(kind.type),
          read: (opened) => {
            for (const name of opened.secrets) seen.add(name);
            return marked(opened, repeats);
          },
          write,
          foreseen: ({ props, secrets }) => write({ ...props, ...kind.foreseen(props) }, secrets),
        });
      } catch (error) {
        throw EngineFailure.of(error, (props) => write(props, [...seen]));
      }
    }),
  );
}

/** The type of `urn:pulumi:stack::project::parent$type::name`. */
function typeIn(urn: string): string {
  return urn.split("::")[2]?.split("$").at(-1) ?? "";
}

function unary<Request, Response>({ log }: PluginParts, work: (request: Request) => Promise<Response>) {
  return async ({ request }: ServerUnaryCall<Request, Response>, answer: sendUnaryData<Response>): Promise<void> => {
    try {
      const response = await work(request);
      // A line after the last answer may come too late: the engine ends its plugins.
      await log.flushed();
      answer(null, response);
    } catch (error) {
      await log.flushed();
      answer(EngineFailure.of(error), null);
    }
  };
}

/** What an import reads from, with the arguments that a program gives with it. */
function importedBy(kind: PluginResource, given: string, { props, secrets }: Opened) {
  const { id, state } = kind.imported(given);
  return { id, secrets, props: { ...state, ...props } };
}

/** What has become a secret since, and still stands in the state for everyone: an update takes it out of there. */
function disclosed(olds: Opened, news: Opened): Difference[] {
  const names = news.secrets.filter((name) => name in olds.props && !olds.secrets.includes(name));
  return names.map((path) => ({ path, kind: "update" }));
}

function checkFailure({ property, reason }: { readonly property: string; readonly reason: string }) {
  const failed = new messages.CheckFailure();
  failed.setProperty(property);
  failed.setReason(reason);
  return failed;
}

const KINDS = {
  add: [messages.PropertyDiff.Kind.ADD, messages.PropertyDiff.Kind.ADD_REPLACE],
  delete: [messages.PropertyDiff.Kind.DELETE, messages.PropertyDiff.Kind.DELETE_REPLACE],
  update: [messages.PropertyDiff.Kind.UPDATE, messages.PropertyDiff.Kind.UPDATE_REPLACE],
} as const;

function withDifferences(
  answer: messages.DiffResponse,
  differences: readonly Difference[],
  replaces: readonly string[],
): messages.DiffResponse {
  const { DIFF_NONE, DIFF_SOME } = messages.DiffResponse.DiffChanges;
  answer.setChanges(differences.length + replaces.length > 0 ? DIFF_SOME : DIFF_NONE);
  answer.setReplacesList([...replaces]);
  answer.setHasdetaileddiff(true);
  for (const { path, kind, isOfState } of differences) {
    const [name = path] = path.split("[");
    const [plain, replacing] = KINDS[kind];
    const difference = new messages.PropertyDiff();
    difference.setKind(replaces.includes(name) ? replacing : plain);
    difference.setInputdiff(!isOfState);
    answer.getDetaileddiffMap().set(path, difference);
    answer.addDiffs(name);
  }
  return answer;
}
