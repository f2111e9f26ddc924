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

/** The same calls, except that the lists they return can also be iterated over. */
export type WithLists<Calls> = {
  readonly [Name in keyof Calls]: Calls[Name] extends (...given: infer Given) => Promise<infer Result>
    ? [Result] extends [readonly (infer Item)[] | AnyPage<infer Item>]
      ? (...given: Given) => ListPromise<Result, Item>
      : Calls[Name]
    : Calls[Name];
};

/**
 * Makes the result of a call iterable. An item that is created, changed or deleted during the iteration may appear twice or not at
 * all.
 * @param result the promise that the call returned.
 * @param read a function that repeats the call with changed query fields (a page number or a cursor).
 */
export function withItems<Item, Result extends readonly Item[] | AnyPage<Item>>(
  result: Promise<Result>,
  read: (place: object) => Promise<Result>,
): ListPromise<Result, Item> {
  return Object.assign(result, {
    async *[Symbol.asyncIterator]() {
      for (let list: readonly Item[] | AnyPage<Item> = await result; ; ) {
        if (!("content" in list)) return yield* list;
        yield* list.content;
        const { content, next, number = 0, totalPages = 0 } = list;
        if (next ? content.length === 0 : number + 1 >= totalPages) return;
        list = await read(next ? { after: next, newest: undefined } : { page: number + 1 });
      }
    },
  });
}
