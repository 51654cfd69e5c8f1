import { useEffect } from "preact/hooks";
import type { FaultCatalogue, Overview } from "../answers";
import { Banner, Confirm, Locked } from "./banner";
import { FaultsView } from "./faults";
import { Header } from "./header";
import { Journal } from "./journal";
import { MarksView } from "./marks";
import { NodeView } from "./node";
import { PacketsView } from "./packets";
import { link, type Place, usePlace, VIEWS, type View } from "./route";
import { SetsView } from "./sets";
import { SetupView } from "./setup";
import { SignalingView } from "./signaling";
import { dismiss, type State, useStore } from "./store";
import { number, plural } from "./texts";
import { Button, Unknown } from "./ui";

const TITLES: Record<View, string> = {
  node: "Node",
  sets: "Sets",
  marks: "Marks",
  signaling: "Signaling",
  faults: "Faults",
  packets: "Packets",
  setup: "Setup",
  journal: "Journal",
};

/** The whole page: views on one side, the journal beside them; on a narrow window the journal is one of the views. */
export function App() {
  const state = useStore();
  const place = usePlace();
  const { connection, overview, catalogue } = state;
  useEffect(() => {
    document.title = `${TITLES[place.view]} · Packet filter emulator`;
  }, [place.view]);
  if (connection === "locked") return <Locked />;
  if (!overview || !catalogue)
    return (
      <p class="starting" role="status">
        {connection === "lost" ? "The emulator does not answer." : "Loading …"}
      </p>
    );
  const live = connection === "live";
  return (
    <>
      {/* A link to #main would be taken for a view. */}
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to content
      </button>
      <Header connection={connection} overview={overview} />
      <Tabs view={place.view} overview={overview} />
      <Banner state={state} />
      <div class={`columns ${place.view}${live ? "" : " still"}`}>
        {place.view !== "journal" && (
          <main id="main" tabIndex={-1} aria-label={TITLES[place.view]}>
            {/* What asks the emulator for something cannot be used while there is none. */}
            <fieldset class="views" disabled={!live}>
              {place.unknown !== undefined && <Unknown>There is no view “{place.unknown}”. This is the node.</Unknown>}
              <Shown place={place} state={state} overview={overview} catalogue={catalogue} />
            </fieldset>
          </main>
        )}
        {/* The same one wherever it stands: it keeps what is open and paused. */}
        <div
          class="beside"
          {...(place.view === "journal" && { id: "main", role: "main", "aria-label": TITLES.journal, tabIndex: -1 })}
        >
          <Journal
            lines={state.journal}
            total={overview.journal.entries}
            runs={overview.runs}
            live={live}
            alone={place.view === "journal"}
          />
        </div>
      </div>
      <Confirm question={state.question} live={live} />
      <Messages messages={state.messages} />
    </>
  );
}

function Shown(props: { place: Place; state: State; overview: Overview; catalogue: FaultCatalogue }) {
  const { place, state, overview, catalogue } = props;
  return (
    <>
      {place.view === "node" && <NodeView overview={overview} subject={place.subject} />}
      {place.view === "sets" && <SetsView overview={overview} subject={place.subject} journal={state.journal} />}
      {place.view === "marks" && <MarksView overview={overview} subject={place.subject} />}
      {place.view === "signaling" && <SignalingView overview={overview} />}
      {place.view === "faults" && <FaultsView overview={overview} catalogue={catalogue} />}
      {place.view === "packets" && <PacketsView overview={overview} />}
      {place.view === "setup" && <SetupView overview={overview} />}
    </>
  );
}

function Tabs({ view: current, overview }: { view: View; overview: Overview }) {
  return (
    <nav class="tabs" aria-label="Views">
      {VIEWS.map((view) => (
        <a key={view} class={view} href={link(view)} aria-current={view === current ? "page" : undefined}>
          {TITLES[view]}
          <Count view={view} overview={overview} />
        </a>
      ))}
    </nav>
  );
}

/** What waits in a view, beside its name. */
function Count({ view, overview }: { view: View; overview: Overview }) {
  const { count, of } = COUNTS[view] ?? {};
  const found = count?.(overview) ?? 0;
  if (!of || found === 0) return null;
  return (
    <span class="count" title={plural(found, ...of)}>
      {number(found)}
      <span class="unseen"> {found === 1 ? of[0] : of[1]}</span>
    </span>
  );
}

const COUNTS: Partial<Record<View, { of: readonly [one: string, many: string]; count: (of: Overview) => number }>> = {
  sets: {
    of: ["staged change", "staged changes"],
    count: ({ arenas }) =>
      arenas
        .flatMap(({ sets, profiles }) => [...sets, ...profiles.flatMap((profile) => profile.sets)])
        .reduce((sum, set) => sum + set.changes, 0),
  },
  signaling: {
    of: ["active signaling", "active signalings"],
    count: ({ clients }) => clients.reduce((sum, client) => sum + client.active.length, 0),
  },
  faults: { of: ["armed fault", "armed faults"], count: ({ faults }) => faults.filter(({ spent }) => !spent).length },
  setup: {
    of: ["switch not at its default", "switches not at their default"],
    count: ({ deviations }) => Object.keys(deviations).length,
  },
};

function Messages({ messages }: Pick<State, "messages">) {
  return (
    <div class="messages" aria-live="polite" role="status">
      {messages.map(({ id, tone, text }) => (
        <p key={id} class={tone}>
          <span>{text}</span>
          <Button text="×" label="Dismiss" onClick={() => dismiss(id)} />
        </p>
      ))}
    </div>
  );
}
