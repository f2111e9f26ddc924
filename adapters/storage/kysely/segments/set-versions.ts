/** The versions of sets, keyed by set number. */
export type SetVersions = ReadonlyMap<number, number>;

export const noSets: SetVersions = new Map();
