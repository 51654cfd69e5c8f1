/** One request on its way through a {@link Turnstile}. */
interface Ticket {
  readonly key: string | undefined;
  readonly open: () => void;
  isOpen: boolean;
}

/** What {@link Turnstile.enter} gives. */
export interface Passage {
  /** Resolves when it is this one's turn. */
  readonly turn: Promise<void>;
  /** Lets those behind go on. */
  leave(): void;
}

/**
 * Keeps requests that ask for one resource in the order in which they came, although reading some of them takes longer.
 * Requests for different resources pass each other.
 */
export class Turnstile {
  private tickets: Ticket[] = [];

  /** True when nobody is inside: then nobody needs to enter. */
  get isFree(): boolean {
    return this.tickets.length === 0;
  }

  /** @param key Of the resource; `undefined` when it is not known yet: such a request passes nobody, nor does one pass it. */
  enter(key: string | undefined): Passage {
    let open = () => {};
    const turn = new Promise<void>((resolve) => {
      open = resolve;
    });
    const ticket: Ticket = { key, open, isOpen: false };
    this.tickets.push(ticket);
    this.openNext();
    const leave = () => {
      this.tickets = this.tickets.filter((other) => other !== ticket);
      this.openNext();
    };
    return { turn, leave };
  }

  private openNext(): void {
    const before = new Set<string | undefined>();
    for (const ticket of this.tickets) {
      const isBlocked =
        before.has(undefined) || before.has(ticket.key) || (ticket.key === undefined && before.size > 0);
      before.add(ticket.key);
      if (isBlocked || ticket.isOpen) continue;
      ticket.isOpen = true;
      ticket.open();
    }
  }
}
