import type { FaultCatalogue, JournalLine, Overview } from "../answers";

/** A message to the person: the action done, or the reason of its failure. */
interface Message {
  id: number;
  tone: "done" | "error";
  text: string;
}

/** A question before something that cannot be taken back. */
interface Question {
  readonly title: string;
  readonly text: string;
  /** Name of the action in question: `Reset`. */
  readonly action: string;
  readonly act: () => void;
}

/** State that all views share. */
export interface State {
  /** `locked`: the emulator wants a token that is not known or wrong. */
  readonly connection: "connecting" | "live" | "lost" | "locked";
  /** Since when the emulator does not answer, by the clock of the browser. */
  readonly lost?: Date;
  /** When it was started, if that was while the page was open. */
  readonly restarted?: Date;
  readonly overview?: Overview;
  /** Faults on offer; the same for as long as the emulator runs. */
  readonly catalogue?: FaultCatalogue;
  /** Oldest first. */
  readonly journal: readonly JournalLine[];
  readonly messages: readonly Message[];
  /** Asked at the moment. */
  readonly question?: Question;
}

export interface ViewProps extends Required<Pick<State, "overview" | "catalogue" | "journal">> {
  /** Url of the object shown, if one was chosen. */
  readonly subject?: string;
}

let state: State = { connection: "connecting", journal: [], messages: [] };
let draw: (state: State) => void = () => {};

export const current = () => state;

/** Draws the page now, and with every change. */
export function drawWith(drawing: typeof draw): void {
  draw = drawing;
  draw(state);
}

export function update(change: Partial<State>): void {
  state = { ...state, ...change };
  draw(state);
}

const SECONDS = { done: 4, error: 12 };
let lastMessage = 0;

/** Tells the person something, for a while. */
export function showMessage(tone: Message["tone"], text: string): void {
  lastMessage += 1;
  const message = { id: lastMessage, tone, text };
  update({ messages: [...state.messages.slice(-2), message] });
  setTimeout(() => dismiss(message.id), SECONDS[tone] * 1000);
}

export function dismiss(id: number): void {
  update({ messages: state.messages.filter((message) => message.id !== id) });
}
