/** The current versions of the tag sets with outdated rows, keyed by set ID. */
export type SetVersions = ReadonlyMap<number, number>;

export const noSets: SetVersions = new Map();
