/** A set that a slug stands for (`null` for the set of all users) and its version; `null` for one without chunks. */
export interface SetRow {
  readonly slug: string | null;
  readonly setId: number;
  readonly version: number | null;
}

/** More than the tags of a large merchant, and few enough to be forgotten about. */
const LIMIT = 10_000;

/** Remembers which sets there are and their versions for as long as nothing is committed. */
export class SetDirectory {
  #mark: number | null = null;
  readonly #rows = new Map<string, SetRow>();

  /**
   * The sets of all users and of these slugs in the committed state of this mark; `null` when one is not known.
   * A slug without a tag is never known.
   */
  find(mark: number | null, organizationId: string, slugs: readonly string[]): SetRow[] | null {
    if (mark === null || mark !== this.#mark) return null;
    const found: SetRow[] = [];
    for (const slug of [null, ...slugs]) {
      const row = this.#rows.get(keyOf(organizationId, slug));
      if (row === undefined) return null;
      found.push(row);
    }
    return found;
  }

  put(mark: number | null, organizationId: string, rows: readonly SetRow[]): void {
    if (mark === null) return;
    if (mark !== this.#mark || this.#rows.size + rows.length > LIMIT) this.#rows.clear();
    this.#mark = mark;
    for (const row of rows) this.#rows.set(keyOf(organizationId, row.slug), row);
  }
}

/** Neither has a NUL, so no two keys are alike. The slug of a caller's filter may hold anything else. */
function keyOf(organizationId: string, slug: string | null): string {
  return slug === null ? organizationId : `${organizationId}\0${slug}`;
}
