import { token } from "./api";
import { saveFile } from "./ask";
import type { ViewProps } from "./store";
import { Copyable, Panel } from "./ui";

const GUIDES = [
  ["emulator", "The emulator: tests, journal, faults, this page"],
  ["reference/emulator", "Every switch, fault and operation"],
  ["guides/test-your-program", "Test your program"],
  ["contributing/contract", "The two APIs, and the points that they leave open"],
] as const;

const FILES = [
  ["/openapi.json", "OpenAPI description of the control API"],
  ["/journal.har", "The journal as an HTTP archive"],
  ["/state.yaml", "The state as YAML"],
  ["/metrics", "Metrics for Prometheus"],
] as const;

/** Addresses for clients, a first request, and the way to the documentation: all of it from the emulator itself. */
export function HelpView({ overview }: ViewProps) {
  const { endpoint, signalingUrl, testSignalingUrl, clients } = overview;
  const set = overview.arenas.flatMap(({ sets }) => sets)[0]?.url ?? "prefixset://edge/blocked";
  const body = JSON.stringify({ url: set, cmd: "list" }).replaceAll("'", "'\\''");
  const command = `curl --header 'content-type: application/json' --data '${body}' ${endpoint}/fapi`;
  const program = `export PACKETFILTER_ENDPOINT=${endpoint} PACKETFILTER_SIGNALING_URL=${signalingUrl}`;
  return (
    <>
      <Panel title="Connect a client">
        <dl class="facts">
          <dt>Node API</dt>
          <dd>
            <Copyable text={endpoint} name="the address of the node API" />
          </dd>
          <dt>Signaling API</dt>
          <dd>
            <Copyable text={signalingUrl} name="the address of the signaling API" />
          </dd>
          <dt>Its test deployment</dt>
          <dd>
            <Copyable text={testSignalingUrl} name="the address of the test deployment" />
          </dd>
          <dt>Pulumi program</dt>
          <dd>
            <Copyable text={program} name="the environment of a program" />
          </dd>
        </dl>
        <p class="hint">
          Secrets are not on this page: the emulator printed them when it started, and GET /info has those of{" "}
          {clients.map(({ clientId }) => clientId).join(", ") || "its clients"}.
        </p>
      </Panel>
      <Panel title="A first request" hint="it appears in the journal; opened there, it can be copied and sent again">
        <Copyable text={command} name="a first request" />
      </Panel>
      <Panel title="Control API" hint="what this page uses, for tests and scripts">
        <ul class="links">
          {FILES.map(([path, text]) => (
            <li key={path}>
              <FileLink path={path} text={text} />
            </li>
          ))}
        </ul>
      </Panel>
      <Panel title="Guides" hint="the documentation of this version, as text">
        <ul class="links">
          {GUIDES.map(([name, text]) => (
            <li key={name}>
              <a href={`/page/docs/${name}.md`}>{text}</a>
            </li>
          ))}
        </ul>
        <p class="hint">
          In a terminal: <Copyable text="npx pulumi-packetfilter docs" name="the command for all pages" />
        </p>
      </Panel>
    </>
  );
}

/** A file of the control API. A link cannot send its token: with one the file is saved. */
function FileLink({ path, text }: { path: string; text: string }) {
  const save = (event: Event) => {
    if (token.get() === null) return;
    event.preventDefault();
    void saveFile(path);
  };
  return (
    <a href={path} onClick={save}>
      {text} <code>{path}</code>
    </a>
  );
}
