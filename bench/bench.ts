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
}

/** Prints a table, and throws when the two sides do not do the same. */
export type Bench = (settings: Settings) => Promise<void>;
