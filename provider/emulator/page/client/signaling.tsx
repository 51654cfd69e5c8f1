import { useState } from "preact/hooks";
import type { Client } from "../answers";
import { act } from "./ask";
import { Form, TextField, useFind } from "./fields";
import { link } from "./route";
import type { ViewProps } from "./store";
import { shortUrl } from "./texts";
import { Badge, Panel, Requests, Switch } from "./ui";

/** Signaling clients, their prefixes, and which of them are moved. */
export function SignalingView({ overview: { clients } }: ViewProps) {
  const { found, field } = useFind(
    { name: "find", what: "a client", placeholder: "client, prefix or profile" },
    clients,
    ({ clientId, deployment, prefixes, active, from, to }) =>
      [clientId, deployment, ...prefixes, ...active, from, to].join(" "),
  );
  if (clients.length === 0)
    return (
      <p class="empty">
        There are no clients. A state has them under signaling: <a href={link("help")}>Help</a>.
      </p>
    );
  return (
    <>
      {field && <div class="whole">{field}</div>}
      {found.map((client) => (
        <ClientPanel key={`${client.deployment} ${client.clientId}`} client={client} />
      ))}
    </>
  );
}

function ClientPanel({ client }: { client: Client }) {
  const { clientId, deployment, prefixes, active, from, to } = client;
  const [prefix, setPrefix] = useState("");
  const rows = [...prefixes, ...active.filter((each) => !prefixes.includes(each))];
  return (
    <Panel
      title={<code>{clientId}</code>}
      hint={
        from && to ? (
          <>
            moves prefixes from <code>{shortUrl(from)}</code> to <code>{shortUrl(to)}</code>
          </>
        ) : (
          "records signalings, moves nothing"
        )
      }
      actions={
        <>
          {deployment === "test" && <Badge tone="info">test deployment</Badge>}
          <Requests filter={{ object: clientId }} />
        </>
      }
    >
      <ul class="switches">
        {rows.map((each) => (
          <li key={each}>
            <SignalSwitch client={client} prefix={each} />
          </li>
        ))}
      </ul>
      <Form onSubmit={() => void signal(clientId, prefix.trim(), true).then((done) => done && setPrefix(""))}>
        <TextField label="A prefix or address inside them" value={prefix} onChange={setPrefix} required grow />
        <button type="submit">Start signaling</button>
      </Form>
    </Panel>
  );
}

function SignalSwitch({ client: { clientId, active, from, to }, prefix }: { client: Client; prefix: string }) {
  const on = active.includes(prefix);
  const where = on ? to : from;
  return (
    <Switch on={on} onClick={() => void signal(clientId, prefix, !on)}>
      <code>{prefix}</code>
      <small>
        {on ? "signaling active" : "not active"}
        {where && `, in ${shortUrl(where)}`}
      </small>
    </Switch>
  );
}

function signal(clientId: string, prefix: string, start: boolean) {
  const body = start ? { clientId, start: [prefix] } : { clientId, stop: [prefix] };
  return act(`${prefix}: signaling ${start ? "started" : "stopped"}.`, "POST", "/signalings", body);
}
