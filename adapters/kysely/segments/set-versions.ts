/** The versions of sets by their numbers. */
export type SetVersions = ReadonlyMap<number, number>;

export const noSets: SetVersions = new Map();
