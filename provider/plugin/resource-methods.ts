import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { DynamicProvider } from "../engine/dynamic-provider";
import { SAID_KEY } from "../engine/provider-text";
import { secretIdentity } from "../engine/secret-names";
import { type JsonObject, without } from "../model/json";
import { RESTORES } from "../reconcile/drift";
import { ADDRESSES, GIVEN_KEY, hasAddress, writtenIn } from "../reconcile/written-inputs";
import { alsoInPython, checkFailure, withDifferences } from "./answers";
import { type PluginParts, unary } from "./calls";
import { type Difference, detailedDiff, leftToDo } from "./detailed-diff";
import { EngineFailure } from "./failures";
import { close, marked, type Opened, open } from "./properties";
import { type PluginResource, resourceOf } from "./resources";
import { named } from "./spelling";

/** The methods of the protocol that are about one resource. */
export function resourceMethods(parts: Pick<PluginParts, "get" | "log" | "limits">) {
  return {
    check: resource(parts, async (request: messages.CheckRequest, { kind, handler, urns, read, write }) => {
      const given = open(request.getNews());
      const news = { ...given, props: named(given.props) };
      urns.checked.add(request.getUrn());
      const isOurClass = news.props[SAID_KEY] !== undefined;
      if (isOurClass) urns.decided.add(request.getUrn());
      const { inputs, failures } = await handler.check(read(open(request.getOlds())), read(news), request.getUrn());
      const answer = new messages.CheckResponse();
      answer.setInputs(write(inputs, news.secrets));
      const hidden = kind.identity.filter((name) => news.secrets.includes(name));
      const spelt = failures.map(({ reason }) => (isOurClass ? reason : alsoInPython(reason, handler.args)));
      answer.setFailuresList((hidden.length > 0 ? hidden.map(secretIdentity) : spelt).map(checkFailure));
      return answer;
    }),
    diff: resource(parts, async (request: messages.DiffRequest, { handler, urns, read }) => {
      const [olds, news] = [open(request.getOlds()), open(request.getNews())];
      const { props: before, secrets } = open(request.getOldInputs());
      const state = withInputs(olds, before);
      // During a refresh nothing was checked: then the option is that of the last program.
      const paths = urns.checked.has(request.getUrn()) ? request.getIgnorechangesList() : [];
      const ignoring = { paths, inputs: before };
      const of = [request.getId(), read(state), read(news), request.getUrn()] as const;
      const { changes, moved, replaces = [] } = await handler.diff(...of, ignoring);
      if (replaces.length > 0) urns.decided.add(request.getUrn());
      // A state of a dynamic resource has its address among the inputs.
      const inputs = without(before, ADDRESSES);
      const differences = changes === false ? [] : detailedDiff(inputs, news.props, [...secrets, ...news.secrets]);
      const shown = [...disclosed(olds, news), ...differences.filter(({ path }) => !moved || path !== RESTORES)];
      const left =
        (changes === true || moved) && shown.length === 0 ? leftToDo(olds.props, handler.normal(news.props)) : [];
      const answer = withDifferences(new messages.DiffResponse(), [...shown, ...left], replaces);
      if (changes === true || moved) answer.setChanges(messages.DiffResponse.DiffChanges.DIFF_SOME);
      return answer;
    }),
    create: resource(parts, async (request: messages.CreateRequest, { handler, urns, read, write, foreseen }) => {
      const inputs = open(request.getProperties());
      const answer = new messages.CreateResponse();
      if (request.getPreview()) {
        if (!urns.decided.has(request.getUrn())) await handler.foresee(read(inputs));
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
      const { props: before, secrets: givenSecrets } = open(request.getInputs());
      const { secrets } = state;
      // An engine imports by the id alone; a lookup may name more, such as a node, and its id names the place.
      const isNamed = Object.keys(state.props).length === 0 || (kind.identity.length > 0 && !hasAddress(state.props));
      const imported = isNamed ? kind.imported(request.getId(), state.props) : undefined;
      const id = imported?.id ?? request.getId();
      const props = imported
        ? { ...without(state.props, kind.identity), ...imported.state }
        : withInputs(state, before).props;
      const late = () => new Error(`${id}: not read in time. The state is unchanged.`);
      const found = await parts.limits.wait(handler.read(id, read({ props, secrets }), request.getUrn()), late);
      if (imported) kind.requireFound?.(found.props);
      const answer = new messages.ReadResponse();
      answer.setId(found.id);
      if (found.id === "") return answer;
      answer.setProperties(write(found.props, secrets));
      answer.setInputs(write(found.inputs ?? before, [...secrets, ...givenSecrets]));
      return answer;
    }),
    update: resource(parts, async (request: messages.UpdateRequest, { handler, read, write, foreseen }) => {
      const [state, news] = [open(request.getOlds()), open(request.getNews())];
      const answer = new messages.UpdateResponse();
      if (request.getPreview()) {
        answer.setProperties(foreseen(news));
        return answer;
      }
      const ignoring = { paths: request.getIgnorechangesList(), inputs: open(request.getOldInputs()).props };
      const { outs } = await handler.update(request.getId(), read(state), read(news), ignoring);
      answer.setProperties(write(outs, news.secrets));
      return answer;
    }),
    delete: resource(parts, async (request: messages.DeleteRequest, { handler, read }) => {
      await handler.delete(request.getId(), read(open(request.getProperties())), request.getUrn());
      return new Empty();
    }),
  };
}

/** Facts about the resources of one type in one deployment. */
class Urns {
  /** Resources of the program, which was run. */
  readonly checked = new Set<string>();
  /** Those of which a class of this package, or a replacement, says what a create in a preview would meet. */
  readonly decided = new Set<string>();
}

/** By handler: each deployment of a process that engines attach has its own. */
const urnsOf = new WeakMap<DynamicProvider, Urns>();

/** Parts that each method about a resource works with. */
interface Subject {
  readonly kind: PluginResource;
  readonly handler: DynamicProvider;
  readonly urns: Urns;
  readonly read: (opened: Opened) => JsonObject;
  readonly write: (props: JsonObject, secrets: readonly string[]) => Struct;
  /** The answer in a preview. Nothing of a state is in it: an update may change each output that does not follow from the arguments. */
  readonly foreseen: (inputs: Opened) => Struct;
}

/** A request about a resource; its type is part of the urn, and newer engines also send it as a member. */
interface AboutResource {
  getUrn(): string;
  getType(): string;
  /** Seconds that the program gives it (`customTimeouts`), 0 where it gives none. */
  getTimeout?(): number;
}

function resource<Request extends AboutResource, Response>(
  parts: Pick<PluginParts, "get" | "log" | "limits">,
  work: (request: Request, subject: Subject) => Promise<Response>,
) {
  const { limits, log } = parts;
  return unary<Request, Response>(parts, (request) => {
    const answer = async () => {
      const kind = resourceOf(request.getType() || typeIn(request.getUrn()));
      const { repeats } = kind;
      const secretNames = new Set<string>();
      const write = (props: JsonObject, secrets: readonly string[]) => close(props, secrets, repeats);
      const handler = parts.get(kind.type);
      const urns = urnsOf.get(handler) ?? new Urns();
      urnsOf.set(handler, urns);
      try {
        return await work(request, {
          kind,
          handler,
          urns,
          read: (opened) => {
            for (const name of opened.secrets) secretNames.add(name);
            return marked(opened, repeats);
          },
          write,
          foreseen: ({ props, secrets }) => {
            const inputs = handler.normal(props);
            return write({ ...inputs, ...kind.foreseen(inputs) }, secrets);
          },
        });
      } catch (error) {
        throw EngineFailure.of(error, (props) => write(props, [...secretNames]), limits.passed);
      }
    };
    return log.about(request.getUrn(), () => limits.within(request.getTimeout?.() ?? 0, answer));
  });
}

/** The type of `urn:pulumi:stack::project::parent$type::name`. */
function typeIn(urn: string): string {
  return urn.split("::")[2]?.split("$").at(-1) ?? "";
}

/** The state with its arguments as the program wrote them: the engine passes them here, so that no output keeps them. */
function withInputs(state: Opened, inputs: JsonObject): Opened {
  return { ...state, props: { ...state.props, [GIVEN_KEY]: writtenIn(inputs) } };
}

/** Values that have since become secret and are still in the state in clear text: an update removes them from it. */
function disclosed(olds: Opened, news: Opened): Difference[] {
  const names = news.secrets.filter((name) => name in olds.props && !olds.secrets.includes(name));
  return names.map((path) => ({ path, kind: "update" }));
}
