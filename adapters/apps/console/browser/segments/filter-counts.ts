import { type CallError, requireCallError } from "../api/call-error.js";

/** The number of customers who match a filter, or the error that occurred when counting them. */
export type Count = number | CallError;

/** Maximum number of concurrent counts. */
const AT_ONCE = 3;

/** Delay after the last edit before counts are requested, in milliseconds. */
const REST_MS = 120;

type CountCall = (text: string, signal: AbortSignal) => Promise<number>;

/**
 * Counts the customers who match each of several filters, with a limit on concurrent requests. Aborts requests whose counts are no
 * longer needed.
 */
export class FilterCounts {
  readonly #count: CountCall;
  readonly #onChange: (known: ReadonlyMap<string, Count>) => void;
  readonly #running = new Map<string, AbortController>();
  #known: ReadonlyMap<string, Count> = new Map();
  #wanted: readonly string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param count a function that resolves to the number of customers who match a filter, given as JSON.
   * @param onChange a function that is called with all available counts, keyed by the filters' JSON, whenever a count arrives.
   */
  constructor(count: CountCall, onChange: (known: ReadonlyMap<string, Count>) => void) {
    this.#count = count;
    this.#onChange = onChange;
  }

  /**
   * Requests counts for the given filters, in the given order, after a short delay. Drops the counts for all other filters and
   * aborts their requests.
   */
  request(texts: readonly string[]): void {
    this.#wanted = [...new Set(texts)];
    const wanted = new Set(texts);
    for (const [text, aborter] of this.#running) if (!wanted.has(text)) this.#abandon(text, aborter);
    this.#known = new Map([...this.#known].filter(([text]) => wanted.has(text)));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#begin(), REST_MS);
  }

  /** Discards all counts and requests them again. */
  refresh(): void {
    const texts = this.#wanted;
    this.stop();
    this.#known = new Map();
    this.request(texts);
  }

  /** Aborts all requests in progress and clears the queue. */
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
