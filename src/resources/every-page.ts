import type { Page } from "./page.js";

/** Reads all pages of a list, one after the other. @param read reads one, by its number from 0. */
export async function everyPage<T>(
  read: (page: number) => Promise<Pick<Page<T>, "content" | "totalPages">>,
): Promise<T[]> {
  const all: T[] = [];
  for (let page = 0; ; page += 1) {
    const { content, totalPages } = await read(page);
    all.push(...content);
    if (page + 1 >= totalPages) return all;
  }
}
