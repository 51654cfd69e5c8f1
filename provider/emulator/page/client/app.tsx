import { useEffect } from "preact/hooks";
import type { Overview } from "../answers";
import { Banner, Confirm, Locked } from "./banner";
import { FaultsView } from "./faults";
import { Header } from "./header";
import { HelpView } from "./help";
import { Journal } from "./journal";
import { MarksView } from "./marks";
import { NodeView } from "./node";
import { PacketsView } from "./packets";
import { link, readPlace, VIEWS, type View } from "./route";
import { SetsView } from "./sets";
import { SetupView } from "./setup";
import { SignalingView } from "./signaling";
import { dismiss, type State } from "./store";
import { number, plural } from "./texts";
import { Button, Unknown } from "./ui";

/** The views beside which the journal stands. */
const SHOWN = {
  node: NodeView,
  sets: SetsView,
  marks: MarksView,
  signaling: SignalingView,
  faults: FaultsView,
  packets: PacketsView,
  setup: SetupView,
  help: HelpView,
};

const titleOf = (view: View) => view.charAt(0).toUpperCase() + view.slice(1);

/** The whole page: views on one side, the journal beside them; on a narrow window the journal is one of the views. */
export function App({ state }: { state: State }) {
  const { connection, overview, catalogue, journal } = state;
  const { view, unknown, subject } = readPlace();
  const title = titleOf(view);
  useEffect(() => {
    document.title = `${title} · Packet filter emulator`;
  }, [title]);
  if (connection === "locked") return <Locked />;
  if (!overview || !catalogue)
    return (
      <p class="empty" role="status">
        {connection === "lost" ? "The emulator does not answer." : "Loading …"}
      </p>
    );
  const live = connection === "live";
  const View = view === "journal" ? undefined : SHOWN[view];
  return (
    <>
      {/* A link to #main would be taken for a view. */}
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to content
      </button>
      <Header connection={connection} overview={overview} />
      <Tabs view={view} overview={overview} />
      <Banner state={state} />
      <div class={`columns ${view}${live ? "" : " still"}`}>
        {View && (
          <main id="main" tabIndex={-1} aria-label={title}>
            {/* Controls that need the emulator cannot be used while there is none. */}
            <fieldset class="views" disabled={!live}>
              {unknown !== undefined && <Unknown>There is no view “{unknown}”. This is the node.</Unknown>}
              <View overview={overview} catalogue={catalogue} journal={journal} subject={subject} />
            </fieldset>
          </main>
        )}
        {/* The same one wherever it stands: it stays open and paused. */}
        <div class="journal-column" {...(!View && { id: "main", role: "main", "aria-label": title, tabIndex: -1 })}>
          <Journal lines={journal} overview={overview} live={live} alone={!View} />
        </div>
      </div>
      <Confirm question={state.question} live={live} />
      <Messages messages={state.messages} />
    </>
  );
}

function Tabs({ view: current, overview }: { view: View; overview: Overview }) {
  return (
    <nav class="tabs" aria-label="Views">
      {VIEWS.filter((view) => view !== "help").map((view) => (
        <a key={view} class={view} href={link(view)} aria-current={view === current ? "page" : undefined}>
          {titleOf(view)}
          <Count view={view} overview={overview} />
        </a>
      ))}
    </nav>
  );
}

/** Number of items that wait in a view, beside its name. */
function Count({ view, overview }: { view: View; overview: Overview }) {
  const [one, many, count] = COUNTS[view] ?? ["", "", () => 0];
  const found = count(overview);
  if (found === 0) return null;
  return (
    <span class="count" title={plural(found, one, many)}>
      {number(found)}
      <span class="visually-hidden"> {found === 1 ? one : many}</span>
    </span>
  );
}

const COUNTS: Partial<Record<View, readonly [one: string, many: string, count: (of: Overview) => number]>> = {
  sets: [
    "staged change",
    "staged changes",
    ({ arenas }) =>
      arenas
        .flatMap(({ sets, profiles }) => [...sets, ...profiles.flatMap((profile) => profile.sets)])
        .reduce((sum, set) => sum + set.changes, 0),
  ],
  signaling: [
    "active signaling",
    "active signalings",
    ({ clients }) => clients.reduce((sum, client) => sum + client.active.length, 0),
  ],
  faults: ["expected fault", "expected faults", ({ faults }) => faults.filter(({ spent }) => !spent).length],
  setup: [
    "switch not at its default",
    "switches not at their default",
    ({ deviations }) => Object.keys(deviations).length,
  ],
};

function Messages({ messages }: Pick<State, "messages">) {
  return (
    <div class="messages" aria-live="polite" role="status">
      {messages.map(({ id, tone, text }) => (
        <p key={id} class={tone}>
          <span>{text}</span>
          <Button text="×" aria-label="Dismiss" onClick={() => dismiss(id)} />
        </p>
      ))}
    </div>
  );
}
