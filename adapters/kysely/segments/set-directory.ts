/** A set that a slug stands for (`null` for the set of all users) and its version; `null` for one without chunks. */
export interface SetRow {
  readonly slug: string | null;
  readonly setId: number;
  readonly version: number | null;
}

/** The sets remembered of one state: more than the tags of a large merchant, and few enough to be forgotten together. */
const LIMIT = 10_000;

/** Remembers which sets there are and their versions in each committed state that can still be read. */
export class SetDirectory {
  /** Once no reader has a state, its marker is garbage-collected together with its rows. */
  readonly #states = new WeakMap<object, Map<string, SetRow>>();

  /**
   * The sets of all users and of these slugs in the committed state of this mark; `null` if one is not known.
   * A slug without a tag is never known.
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

/** Neither has a NUL, so no two keys are alike. The slug of a caller's filter may hold anything else. */
function keyOf(organizationId: string, slug: string | null): string {
  return slug === null ? organizationId : `${organizationId}\0${slug}`;
}
