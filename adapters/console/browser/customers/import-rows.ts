import { CallError } from "../parts/call-error.js";
import type { CsvRow } from "./csv.js";
import { RefusedRow } from "./import-row.js";

/** How far an import has come. */
export interface ImportState {
  readonly done: number;
  readonly refused: readonly { readonly row: CsvRow; readonly reason: string }[];
  /** Whether it waits for a limit to pass, or for the server. */
  readonly waits: boolean;
}

const AT_ONCE = 4;

/** Seconds between tries while the server can't be reached. */
const PAUSE = 2;

/**
 * Adds rows, a few at a time. A limit, or a server that is gone for a while, is waited for, so that no row gets lost.
 * @param add adds a row; a repeat of it does nothing twice.
 */
export async function importRows(
  rows: readonly CsvRow[],
  add: (row: CsvRow) => Promise<void>,
  tell: (state: ImportState) => void,
  signal: AbortSignal,
): Promise<void> {
  let state: ImportState = { done: 0, refused: [], waits: false };
  const change = (part: Partial<ImportState>) => {
    state = { ...state, ...part };
    tell(state);
  };
  const left = rows.values();
  change({});
  const work = async () => {
    for (const row of left) {
      const reason = await added(row);
      if (signal.aborted) return;
      const refused = reason === null ? state.refused : [...state.refused, { row, reason }];
      change({ done: state.done + 1, refused, waits: false });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));

  /** @returns why it was refused; `null` when it was added. */
  async function added(row: CsvRow): Promise<string | null> {
    for (;;) {
      try {
        await add(row);
        return null;
      } catch (error) {
        if (signal.aborted) return null;
        if (error instanceof RefusedRow) return error.message;
        if (!(error instanceof CallError)) throw error;
        if (error.status !== 0 && error.status !== 429 && error.status < 500) return error.message;
        change({ waits: true });
        await pause(error.retryAfter ?? PAUSE, signal);
        if (signal.aborted) return null;
      }
    }
  }
}

function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, seconds * 1_000);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
