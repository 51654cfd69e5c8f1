import type { Dialects, Overview } from "../schemas";
import { useAnswer } from "./ask";
import { DialectPanel } from "./dialect";
import { Snapshots } from "./snapshots";
import { answeredBy } from "./texts";
import { Panel } from "./ui";

/** How the emulator answers: from where, in which dialect, and the states that it can be put back to. */
export function SetupView({ overview }: { overview: Overview }) {
  const { answer: dialects, problem } = useAnswer<Dialects>("/page/dialects", undefined);
  return (
    <>
      <Answers overview={overview} />
      {problem && <p class="problem">{problem}</p>}
      {dialects && <DialectPanel dialects={dialects} deviations={overview.deviations} />}
      <Snapshots names={overview.snapshots} />
    </>
  );
}

function Answers({ overview: { endpoint, sources, seed } }: { overview: Overview }) {
  const facts: readonly (readonly [name: string, value: string | undefined])[] = [
    ["Address", endpoint],
    ["Node API", answeredBy(sources, sources.proxy)],
    ["Signaling API", answeredBy(sources, sources.proxySignaling)],
    ["Answers kept in", sources.record],
    ["State kept in", sources.persist],
    ["Seed", String(seed)],
  ];
  return (
    <Panel title="Answers">
      <dl class="facts">
        {facts.map(([name, value]) => value !== undefined && <Fact key={name} name={name} value={value} />)}
      </dl>
    </Panel>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}
