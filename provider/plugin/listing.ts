import type { ServerWritableStream } from "@grpc/grpc-js";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import type { Runtime } from "../deployment/runtime";
import { hasUnknown, type JsonObject } from "../model/json";
import { formatUrl, setUrl } from "../model/resource-url";
import { EngineFailure } from "./failures";
import { type Opened, open } from "./properties";

/** A resource that could be imported. */
interface Found {
  readonly id: string;
  readonly name: string;
}

/**
 * Content of a node or receiver, each part as a resource of its own that could be imported: entries of a set, and signalings. Sets
 * cannot be listed, since nodes name none.
 *
 * @throws {Error} naming the argument that is wrong, or a type of which nothing is listed
 */
export async function listed(runtime: Runtime, token: string, query: Opened): Promise<readonly Found[]> {
  const { invoke } = await import("./invoke.js");
  const ask = (name: string): Promise<JsonObject> => invoke(runtime, `packetfilter:index:${name}`, query);
  if (token === "packetfilter:index:PrefixSetEntry") {
    const { entries } = await ask("getPrefixSet");
    const set = setUrl(query.props);
    const url = set ? formatUrl(set) : "";
    return Object.keys(entries as JsonObject).map((prefix) => ({ id: `${url}#${prefix}`, name: prefix }));
  }
  if (token === "packetfilter:index:CloudSignaling") {
    const { prefixes } = await ask("getSignalings");
    return (prefixes as string[]).map((prefix) => ({ id: prefix, name: prefix }));
  }
  throw new Error(`${token} cannot be listed: the APIs of nodes name no sets.`);
}

/** The method of the protocol: a stream of what was found, up to the limit. */
export function listing(list: (token: string, query: Opened) => Promise<readonly Found[]>) {
  return async (call: ServerWritableStream<messages.ListRequest, messages.ListResponse>): Promise<void> => {
    const query = open(call.request.getQuery());
    const limit = call.request.getLimit() || Number.POSITIVE_INFINITY;
    try {
      if (hasUnknown(query.props)) call.write(answer({ computed: new messages.ListResponse.Computed() }));
      else
        for (const found of (await list(call.request.getToken(), query)).slice(0, limit)) call.write(answer({ found }));
      call.end();
    } catch (error) {
      call.emit("error", EngineFailure.of(error));
    }
  };
}

function answer({ found, computed }: { found?: Found; computed?: messages.ListResponse.Computed }) {
  const response = new messages.ListResponse();
  if (computed) response.setComputed(computed);
  if (!found) return response;
  const result = new messages.ListResponse.Result();
  result.setId(found.id);
  result.setName(found.name);
  response.setResult(result);
  return response;
}
