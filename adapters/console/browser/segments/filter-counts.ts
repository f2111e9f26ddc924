import { type CallError, requireCallError } from "../api/call-error.js";

/** The number of customers who match a filter, or the error of counting them. */
export type Count = number | CallError;

/** The most concurrent counts. */
const AT_ONCE = 3;

/** The time without an edit after which counts are asked for, in milliseconds. */
const REST_MS = 120;

type CountCall = (text: string, signal: AbortSignal) => Promise<number>;

/** Counts the matches of filters, a few at a time. A count that is no longer needed is not requested, or its request is aborted. */
export class FilterCounts {
  readonly #count: CountCall;
  readonly #onChange: (known: ReadonlyMap<string, Count>) => void;
  readonly #running = new Map<string, AbortController>();
  #known: ReadonlyMap<string, Count> = new Map();
  #wanted: readonly string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param count counts what the filter of a text finds.
   * @param onChange gets all counts that are known whenever there is another one.
   */
  constructor(count: CountCall, onChange: (known: ReadonlyMap<string, Count>) => void) {
    this.#count = count;
    this.#onChange = onChange;
  }

  /** Asks for the counts of these filters, in their order, in place of those before. */
  request(texts: readonly string[]): void {
    this.#wanted = [...new Set(texts)];
    const wanted = new Set(texts);
    for (const [text, aborter] of this.#running) if (!wanted.has(text)) this.#abandon(text, aborter);
    this.#known = new Map([...this.#known].filter(([text]) => wanted.has(text)));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#begin(), REST_MS);
  }

  /** Requests all of them again. */
  refresh(): void {
    const texts = this.#wanted;
    this.stop();
    this.#known = new Map();
    this.request(texts);
  }

  /** Stops requesting. */
  stop(): void {
    this.request([]);
    clearTimeout(this.#timer);
  }

  #abandon(text: string, aborter: AbortController): void {
    this.#running.delete(text);
    aborter.abort();
  }

  #begin(): void {
    for (const text of this.#wanted) {
      if (this.#running.size >= AT_ONCE) return;
      if (!this.#known.has(text) && !this.#running.has(text)) void this.#ask(text);
    }
  }

  async #ask(text: string): Promise<void> {
    const aborter = new AbortController();
    this.#running.set(text, aborter);
    const count = await this.#count(text, aborter.signal).catch((error: unknown) =>
      aborter.signal.aborted ? null : requireCallError(error),
    );
    if (aborter.signal.aborted || count === null) return;
    this.#running.delete(text);
    this.#known = new Map([...this.#known, [text, count]]);
    this.#onChange(this.#known);
    this.#begin();
  }
}
