import { messageOf } from "../../model/errors";
import type { MarkType } from "../../model/mark";
import type { MarkTouch } from "../answer-types";
import type { MarkAction, MarkStore } from "../marks/mark-store";
import type { PacketView } from "../packet/packet";
import { markType } from "../validation/mark-type";
import { compileMatch, type Matcher, type RuleEnvironment } from "./matchers";
import type { MarkActionSpec, RuleSpec } from "./rule-schema";

export type { MarkTouch } from "../answer-types";

/** Counter of a `count` action. */
export interface RuleCounter {
  /** Number of packets. */
  packets: number;
  /** Total bytes. */
  bytes: number;
}

type Action = (packet: PacketView, now: number, touches: MarkTouch[] | undefined) => void;

interface CompiledRule {
  readonly matchers: readonly Matcher[];
  readonly actions: readonly Action[];
  readonly verdict: "accept" | "drop" | undefined;
  readonly counter: RuleCounter;
}

/**
 * The rules of a profile, compiled once into a list of functions for each rule. Uses the content of sets and marks at the
 * arrival of a packet.
 */
export class Program {
  private readonly compiled: readonly CompiledRule[];

  /**
   * @param rules Checked by `ruleSchema`.
   * @throws {TypeError} naming a rule whose set does not exist.
   */
  constructor(
    readonly rules: readonly RuleSpec[],
    environment: RuleEnvironment,
  ) {
    this.compiled = rules.map((rule, index) => {
      try {
        return compileRule(rule, environment);
      } catch (error) {
        const which = rule.id === undefined ? `${index + 1}` : `${rule.id}${rule.name ? ` "${rule.name}"` : ""}`;
        throw new TypeError(`rule ${which}: ${messageOf(error)}`, { cause: error });
      }
    });
  }

  /**
   * Evaluates the rules in order and carries out the actions of those that match.
   *
   * @param touches Receives the changed marks, if given.
   * @returns the index of the deciding rule, or -1 if no rule decides: the packet is accepted.
   */
  evaluate(packet: PacketView, now: number, touches?: MarkTouch[]): number {
    const { compiled } = this;
    for (let index = 0; index < compiled.length; index++) {
      const rule = compiled[index] as CompiledRule;
      if (!rule.matchers.every((matcher) => matcher(packet, now))) continue;
      for (const action of rule.actions) action(packet, now, touches);
      if (rule.verdict !== undefined) return index;
    }
    return -1;
  }

  /** The verdict of {@link evaluate}. */
  verdict(index: number): "accept" | "drop" {
    return this.compiled[index]?.verdict ?? "accept";
  }

  /** Counters of the `count` actions, rule by rule; `undefined` for rules that do not count. */
  counters(): (RuleCounter | undefined)[] {
    return this.rules.map((rule, index) => {
      return rule.actions?.includes("count") ? { ...(this.compiled[index] as CompiledRule).counter } : undefined;
    });
  }
}

function compileRule(rule: RuleSpec, environment: RuleEnvironment): CompiledRule {
  const counter: RuleCounter = { packets: 0, bytes: 0 };
  const actions: Action[] = [];
  let verdict: CompiledRule["verdict"];
  for (const action of rule.actions ?? []) {
    if (action === "accept" || action === "drop") verdict = action;
    else if (action === "count") {
      actions.push((packet) => {
        counter.packets += packet.count;
        counter.bytes += packet.count * packet.length;
      });
    } else {
      for (const [name, spec] of Object.entries(action)) {
        const type = markType(name);
        if (type) actions.push(compileMark(type, spec, rule.id, environment.marks));
      }
    }
  }
  const matchers = (rule.match ?? []).flatMap((match) => compileMatch(match, environment));
  return { matchers, actions, verdict, counter };
}

function compileMark(type: MarkType, spec: MarkActionSpec, ruleId: number | undefined, marks: MarkStore): Action {
  const id = spec.id ?? ruleId ?? 0;
  const action: MarkAction = {
    type,
    id,
    operation: spec.set !== undefined ? "set" : spec.max !== undefined ? "max" : "add",
    operand: spec.set ?? spec.max ?? spec.add ?? 1,
    lifetime: spec.lifetime === undefined ? undefined : spec.lifetime * 1000,
  };
  return (packet, now, touches) => {
    const value = marks.touch(action, packet, now);
    if (value !== undefined) touches?.push({ type, id, value });
  };
}
