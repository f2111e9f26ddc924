/**
 * A tag set and its version. `slug` is the tag's slug, or `null` for the set of all users. `version` is `null` if the set has no
 * row.
 */
export interface SetRow {
  readonly slug: string | null;
  readonly setId: number;
  readonly version: number | null;
}

/**
 * Maximum number of sets cached per state. This exceeds a large merchant's number of tags, and is low enough to drop them all
 * together.
 */
const LIMIT = 10_000;

/** Caches the existing tag sets and their versions. There are separate entries for each committed state that readers still use. */
export class SetDirectory {
  /**
   * Keyed by the object that identifies a committed state. When no reader holds that object, the state's entry is
   * garbage-collected.
   */
  readonly #states = new WeakMap<object, Map<string, SetRow>>();

  /**
   * Finds the set of all users and the sets of these tags in a committed state. Returns `null` unless all of these sets are
   * cached. Slugs that belong to no tag are never cached.
   * @param mark the object that identifies the committed state, or `null` if the state is unknown.
   */
  find(mark: object | null, organizationId: string, slugs: readonly string[]): SetRow[] | null {
    const rows = mark === null ? undefined : this.#states.get(mark);
    if (rows === undefined) return null;
    const found: SetRow[] = [];
    for (const slug of [null, ...slugs]) {
      const row = rows.get(keyOf(organizationId, slug));
      if (row === undefined) return null;
      found.push(row);
    }
    return found;
  }

  put(mark: object | null, organizationId: string, rows: readonly SetRow[]): void {
    if (mark === null) return;
    let known = this.#states.get(mark);
    if (known === undefined || known.size + rows.length > LIMIT) {
      known = new Map();
      this.#states.set(mark, known);
    }
    for (const row of rows) known.set(keyOf(organizationId, row.slug), row);
  }
}

/** Organization IDs and slugs contain no NUL, so keys are unique. A slug from a caller's filter may contain any other character. */
function keyOf(organizationId: string, slug: string | null): string {
  return slug === null ? organizationId : `${organizationId}\0${slug}`;
}
