import { Server, type UntypedServiceImplementation } from "@grpc/grpc-js";
import { type PluginAttach, PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { isSecretSetting } from "../engine/secret-names";
import { checkFailure, withDifferences } from "./answers";
import { type PluginParts, unary } from "./calls";
import { detailedDiff } from "./detailed-diff";
import { listing } from "./listing";
import { close, open } from "./properties";
import { resourceMethods } from "./resource-methods";
import { openSettings } from "./spelling";

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
    // An engine with PULUMI_DEBUG_PROVIDERS starts no process: it looks for one that is running, once a deployment.
    attach: unary(parts, async (request: PluginAttach) => {
      parts.attach(request.getAddress());
      return new Empty();
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
      // The engine hands these to policies, which read them as this package does.
      const { props, secrets } = openSettings(request.getNews());
      const answer = new messages.CheckResponse();
      answer.setInputs(
        close(props, [...secrets, ...Object.keys(props).filter((name) => isSecretSetting(name, props[name]))]),
      );
      const { refused, passed } = parts.configProblems(props);
      answer.setFailuresList(refused.map(checkFailure));
      for (const sentence of passed) log.print(`warning: ${sentence}`);
      return answer;
    }),
    // Changed credentials or addresses update what is there: a replaced provider would replace all its resources.
    diffConfig: unary(parts, async (request: messages.DiffRequest) => {
      const answer = new messages.DiffResponse();
      const [olds, news] = [openSettings(request.getOldInputs()), openSettings(request.getNews())];
      const isSecret = (name: string) => [olds, news].some(({ props }) => isSecretSetting(name, props[name]));
      const names = [
        ...olds.secrets,
        ...news.secrets,
        ...Object.keys({ ...olds.props, ...news.props }).filter(isSecret),
      ];
      const differences = detailedDiff(olds.props, news.props, names);
      return withDifferences(answer, differences, []);
    }),
    configure: unary(parts, async (request: messages.ConfigureRequest) => {
      const { props } = openSettings(request.getArgs());
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
      answer.setReturn(close(await parts.invoke(request.getTok(), open(request.getArgs())), []));
      return answer;
    }),
    list: listing(parts.list),
    ...resourceMethods(parts),
    // The engine ends the process itself, once it has the answer: one that ends before it is reported as broken.
    cancel: unary(parts, async () => {
      parts.cancel();
      return new Empty();
    }),
  } satisfies UntypedServiceImplementation);
  return server;
}
