import { type CallError, requireCallError } from "../api/call-error.js";

/** The number of customers who match a filter, or the error that occurred when counting them. */
export type Count = number | CallError;

/** Maximum number of concurrent counts. */
const CONCURRENCY = 3;

/** Delay after the last edit before counts are requested, in milliseconds. */
const DEBOUNCE_MS = 120;

type CountCall = (text: string, signal: AbortSignal) => Promise<number>;

/**
 * Counts the customers who match each of several filters, with a limit on concurrent requests. Aborts requests whose counts are no
 * longer needed.
 */
export class FilterCounts {
  readonly #count: CountCall;
  readonly #onChange: (counts: ReadonlyMap<string, Count>) => void;
  readonly #running = new Map<string, AbortController>();
  #known: ReadonlyMap<string, Count> = new Map();
  #wanted: readonly string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param count a function that resolves to the number of customers who match a filter. The filter is passed as JSON.
   * @param onChange a function that is called with all available counts, keyed by filter JSON, whenever a count arrives.
   */
  constructor(count: CountCall, onChange: (counts: ReadonlyMap<string, Count>) => void) {
    this.#count = count;
    this.#onChange = onChange;
  }

  /**
   * Requests counts for the given filters after a short delay, in the given order. Drops all other filters' counts and aborts their
   * requests.
   * @param texts the filters as JSON.
   */
  request(texts: readonly string[]): void {
    this.#wanted = [...new Set(texts)];
    const requestedTexts = new Set(texts);
    for (const [text, controller] of this.#running)
      if (!requestedTexts.has(text)) this.#abandon(text, controller);
    this.#known = new Map([...this.#known].filter(([text]) => requestedTexts.has(text)));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#begin(), DEBOUNCE_MS);
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

  #abandon(text: string, controller: AbortController): void {
    this.#running.delete(text);
    controller.abort();
  }

  #begin(): void {
    for (const text of this.#wanted) {
      if (this.#running.size >= CONCURRENCY) return;
      if (!this.#known.has(text) && !this.#running.has(text)) void this.#ask(text);
    }
  }

  async #ask(text: string): Promise<void> {
    const controller = new AbortController();
    this.#running.set(text, controller);
    const count = await this.#count(text, controller.signal).catch((error: unknown) =>
      controller.signal.aborted ? null : requireCallError(error),
    );
    if (controller.signal.aborted || count === null) return;
    this.#running.delete(text);
    this.#known = new Map([...this.#known, [text, count]]);
    this.#onChange(this.#known);
    this.#begin();
  }
}
