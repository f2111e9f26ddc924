import type { StorageAdapter } from "loyalty-kit";
import { createCardToUpdate, SomeMessages } from "../some-message.js";
import type { SimulatedPhone } from "./phone.js";

const NONE = "Nothing new right now";

interface SentNews {
  readonly id: string;
  readonly number: number;
  readonly until: number;
}

/** Messages that a shop puts on some of its cards, and what phones should show of them. */
export class SimulatedNews {
  /** Newest message of each card. */
  private readonly newest = new Map<string, SentNews>();
  private readonly kept = new Map<string, SentNews>();
  private readonly messages: SomeMessages;
  private count = 0;

  constructor(
    storage: StorageAdapter,
    private readonly now: () => number,
    private readonly random: (bound: number) => number,
  ) {
    this.messages = new SomeMessages(storage, now);
  }

  /** Puts a message on some of the cards, for at most two minutes or for a day. */
  async sendNews(templateId: string, passIds: readonly string[]): Promise<void> {
    const { random, messages } = this;
    this.count += 1;
    const number = this.count;
    const until = this.now() + (random(2) === 0 ? 1 + random(120_000) : 86_400_000);
    const id = await messages.make(templateId, `News ${number}: you have {stamps}`);
    const selectedIds = passIds.filter(() => random(3) === 0);
    await messages.show(
      id,
      selectedIds.map((passId) => createCardToUpdate(passId)),
      until,
    );
    const message = { id, number, until };
    this.kept.set(id, message);
    for (const passId of selectedIds) this.newest.set(passId, message);
  }

  /** Removes messages that are over, and now and then cancels one. */
  async removeNews(): Promise<void> {
    for (const message of this.kept.values()) {
      const isCanceled = this.random(100) === 0;
      if (isCanceled) await this.messages.cancel(message.id);
      if (!isCanceled && message.until > this.now()) continue;
      await this.messages.clear(message.id, 7);
      this.kept.delete(message.id);
    }
  }

  /** Returns the passes on which a phone shows another message than it should. `stamps` has the stamps of each pass. */
  findFaults(phone: SimulatedPhone, stamps: ReadonlyMap<string, number>): string[] {
    return [...phone.shown.keys()].filter((passId) => {
      const newest = this.newest.get(passId);
      const isShown = newest !== undefined && this.kept.has(newest.id);
      const text = isShown ? `News ${newest.number}: you have ${stamps.get(passId)}` : NONE;
      return phone.getMessage(passId) !== text;
    });
  }
}

/** Returns the numbers of the messages that a phone has shown on its lock screen, in that order. */
export function parseNumbers(texts: readonly string[]): number[] {
  return texts.flatMap((text) => {
    const [, number] = /^News (\d+): /.exec(text) ?? [];
    return number === undefined ? [] : [Number(number)];
  });
}

/** True if no message was announced twice, or after a newer one. */
export function isInOrder(numbers: readonly number[]): boolean {
  return numbers.every((number, at) => at === 0 || number > (numbers[at - 1] ?? 0));
}
