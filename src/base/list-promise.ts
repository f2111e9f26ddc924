/**
 * The result of a call that returns a list. Awaiting it gives an array or a page. Iterating over it yields the items of all pages,
 * and each page is read only when it is needed.
 */
export type ListPromise<Result, Item> = Promise<Result> & AsyncIterable<Item>;

/** A page of a list that is paged by page number or by cursor. */
export interface AnyPage<Item> {
  readonly content: readonly Item[];
  readonly number?: number;
  readonly totalPages?: number;
  readonly next?: string | null;
}

/** The beginning of a list that has no page numbers. */
export interface FirstPage<Item> {
  /** The first items of the list, at most 50. */
  readonly content: readonly Item[];
  /** Whether the list has more items than this page. Iterate over the list to read all items. */
  readonly hasMore: boolean;
}

/** Number of items in a {@link FirstPage}: as many as other pages have by default. */
const FIRST_PAGE_SIZE = 50;

/** The same functions as `Calls`, except that callers can also iterate over the lists that they return. */
export type WithLists<Calls> = {
  readonly [Name in keyof Calls]: Calls[Name] extends (...args: infer Given) => Promise<infer Result>
    ? [Result] extends [readonly (infer Item)[] | AnyPage<infer Item>]
      ? (...args: Given) => ListPromise<Result, Item>
      : Calls[Name]
    : Calls[Name];
};

/**
 * Makes the result of a call iterable. An item that is created, changed, or deleted during the iteration might appear twice or not
 * at all.
 * @param result the promise that the call returned.
 * @param readPage a function that repeats the call for another page. It receives the query fields to change, which are a page
 *   number or a cursor.
 */
export function withItems<Item, Result extends readonly Item[] | AnyPage<Item>>(
  result: Promise<Result>,
  readPage: (cursor: object) => Promise<Result>,
): ListPromise<Result, Item> {
  return Object.assign(result, {
    async *[Symbol.asyncIterator]() {
      for (let list: readonly Item[] | AnyPage<Item> = await result; ; ) {
        if (!("content" in list)) return yield* list;
        yield* list.content;
        const { content, next, number = 0, totalPages = 0 } = list;
        if (next ? content.length === 0 : number + 1 >= totalPages) return;
        list = await readPage(next ? { after: next, newest: undefined } : { page: number + 1 });
      }
    },
  });
}

/**
 * A list that is read as one stream. Nothing is read until the list is awaited or iterated over. Awaiting it reads the first 50
 * items, and each iteration reads the whole list.
 */
export class StreamedList<Item> implements ListPromise<FirstPage<Item>, Item> {
  readonly [Symbol.toStringTag] = "StreamedList";
  private page: Promise<FirstPage<Item>> | null = null;

  constructor(private readonly iterate: () => AsyncIterable<Item>) {}

  private firstPage(): Promise<FirstPage<Item>> {
    this.page ??= readFirstPage(this.iterate());
    return this.page;
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting the list reads its first page.
  readonly then: Promise<FirstPage<Item>>["then"] = (...args) => this.firstPage().then(...args);
  readonly catch: Promise<FirstPage<Item>>["catch"] = (...args) => this.firstPage().catch(...args);
  readonly finally: Promise<FirstPage<Item>>["finally"] = (...args) => this.firstPage().finally(...args);

  [Symbol.asyncIterator](): AsyncIterator<Item> {
    return this.iterate()[Symbol.asyncIterator]();
  }
}

async function readFirstPage<Item>(items: AsyncIterable<Item>): Promise<FirstPage<Item>> {
  const content: Item[] = [];
  for await (const item of items) {
    if (content.length === FIRST_PAGE_SIZE) return { content, hasMore: true };
    content.push(item);
  }
  return { content, hasMore: false };
}
