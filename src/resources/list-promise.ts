/** A list. Awaited, it is an array or a page; iterated, it is every item of all pages, each of which is read when it is needed. */
export type ListPromise<Result, Item> = Promise<Result> & AsyncIterable<Item>;

/** A page of a list that later pages follow, by their number or behind a cursor. */
export interface AnyPage<Item> {
  readonly content: readonly Item[];
  readonly number?: number;
  readonly totalPages?: number;
  readonly next?: string | null;
}

/** Calls whose promises of lists can be iterated too. */
export type WithLists<Calls> = {
  readonly [Name in keyof Calls]: Calls[Name] extends (...given: infer Given) => Promise<infer Result>
    ? [Result] extends [readonly (infer Item)[] | AnyPage<infer Item>]
      ? (...given: Given) => ListPromise<Result, Item>
      : Calls[Name]
    : Calls[Name];
};

/**
 * Lets the result of a call be iterated. An item that is created, changed or deleted meanwhile may come twice or not at all.
 * @param result is a list.
 * @param read makes the call again, for the page of a number or behind a cursor: the fields to change in its query.
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
