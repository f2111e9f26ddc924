/** Names the headings of a page as GitHub does: a heading that comes again gets a number. */
export class Slugs {
  readonly #seen = new Map<string, number>();

  create(heading: string): string {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-");
    const before = this.#seen.get(slug);
    this.#seen.set(slug, (before ?? 0) + 1);
    return before === undefined ? slug : `${slug}-${before}`;
  }
}
