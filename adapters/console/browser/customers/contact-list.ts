import type { OrganizationCalls } from "../../../../src/operations/groups.js";
import type { Contact, ContactListQuery } from "../../../../src/resources/contact.js";
import { shownEmail } from "../../../../src/values/joined-address.js";

export const PAGE_SIZE = 25;

const fields = ["name", "email", "createdAt", "updatedAt", "externalId"] as const;

/** The fields by which the list can be sorted. */
export type SortField = (typeof fields)[number];

/** The order of a list: `name,asc`. */
export type Sort = `${SortField},${"asc" | "desc"}`;

const NEWEST_FIRST: Sort = "createdAt,desc";

/** The customers that the list shows. The address has the same. */
export interface ContactQuery {
  readonly search: string;
  readonly page: number;
  readonly sort: Sort;
  readonly templateId: string;
  readonly minStamps: string;
  readonly maxStamps: string;
  /** The slug of the segment whose customers are listed, without a search and a card; empty for none. */
  readonly segment: string;
}

export function queryIn(search: URLSearchParams): ContactQuery {
  const page = Number(search.get("page") ?? 1);
  const sort = fields
    .flatMap((field) => [`${field},asc` as const, `${field},desc` as const])
    .find((each) => each === search.get("sort"));
  return {
    search: search.get("search") ?? "",
    page: Number.isSafeInteger(page) && page > 0 ? page - 1 : 0,
    sort: sort ?? NEWEST_FIRST,
    templateId: search.get("card") ?? "",
    minStamps: search.get("min") ?? "",
    maxStamps: search.get("max") ?? "",
    segment: search.get("segment") ?? "",
  };
}

/** Returns the values of a query for the address; empty for those that go without saying. */
export function inAddress(query: ContactQuery): Record<string, string> {
  return {
    search: query.search,
    page: query.page === 0 ? "" : String(query.page + 1),
    sort: query.sort === NEWEST_FIRST ? "" : query.sort,
    card: query.templateId,
    min: query.templateId === "" ? "" : query.minStamps,
    max: query.templateId === "" ? "" : query.maxStamps,
    segment: query.segment,
  };
}

/** Returns the query as the API takes it. @param size at most 200. */
export function contactsQuery(query: ContactQuery, size = PAGE_SIZE): ContactListQuery {
  const { page, sort, templateId, minStamps, maxStamps } = query;
  const search = query.search.trim();
  return {
    page,
    size,
    sort,
    ...(search !== "" && { search }),
    ...(templateId === ""
      ? { includeStamps: true }
      : {
          templateId,
          minStamps: Number(minStamps),
          ...(maxStamps !== "" && { maxStamps: Number(maxStamps) }),
        }),
  };
}

/** A page of the customers that a query asks for. */
export interface ContactPage {
  readonly content: readonly Contact[];
  readonly totalElements: number;
  readonly totalPages: number;
}

/** Reads a page of the list: of a segment, or of all customers. @param size at most 200. */
export async function contactsFrom(
  calls: OrganizationCalls,
  query: ContactQuery,
  size = PAGE_SIZE,
): Promise<ContactPage> {
  if (query.segment === "") return calls.contacts.list(contactsQuery(query, size));
  const { page, sort } = query;
  const { content, ...totals } = await calls.segments.members(query.segment, { page, size, sort });
  return { ...totals, content: content.map((user) => ({ ...user, object: "contact", passInfos: [] })) };
}

/** Returns the name of a customer as screens show it. */
export function nameOf({ name, email }: { readonly name: string | null; readonly email: string }): string {
  return name ?? shownEmail(email) ?? "Without a name";
}
