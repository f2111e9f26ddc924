/** The settings of a benchmark. */
export interface Settings {
  /** A folder for files that no benchmark changes: each is created once in a run. */
  readonly sharedFolder: string;
  /** An empty folder for the files of this bench alone. */
  readonly folder: string;
  readonly users: number;
  /** How often each side is timed, in turn. */
  readonly rounds: number;
  /** The duration of one timing, in milliseconds. */
  readonly sliceMs: number;
  /** The share of its fixed repeats and pauses that a bench does: 1, and less in a short run, whose figures mean nothing. */
  readonly share: number;
}

/** Shortens a fixed number of repeats, or the milliseconds of a pause, to the run's share of it: at least 1. */
export function shorten(size: number, { share }: Pick<Settings, "share">): number {
  return Math.ceil(size * share);
}

/** Prints a table, and throws when the two sides do not do the same. */
export type Bench = (settings: Settings) => Promise<void>;
