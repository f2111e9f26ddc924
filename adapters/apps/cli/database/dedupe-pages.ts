import type { Page } from "../../../../src/base/page.js";

/** Number of rows per page. */
const PAGE_SIZE = 200;

/**
 * Reads all pages of a list, newest rows first, and yields each row once. Rows created between two reads push older rows to later
 * pages, so the same row might be read twice.
 */
export async function* dedupePages<Row extends { readonly id: string }>(
  readPage: (page: { readonly page: number; readonly size: number }) => Promise<Page<Row>>,
): AsyncGenerator<Row, void, undefined> {
  const seenIds = new Set<string>();
  for (let page = 0, isLast = false; !isLast; page += 1) {
    const { content, totalPages } = await readPage({ page, size: PAGE_SIZE });
    for (const row of content) {
      if (!seenIds.has(row.id)) yield row;
      seenIds.add(row.id);
    }
    isLast = page + 1 >= totalPages;
  }
}
