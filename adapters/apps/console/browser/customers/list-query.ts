import type { Contact, ContactListQuery } from "../../../../../src/customers/contact-schema.js";
import type { User } from "../../../../../src/customers/schema.js";
import type { OrganizationCalls } from "../../../../../src/operation-groups.js";
import type { SegmentQuery } from "../../../../../src/segments/filter-schema.js";
import type { SegmentMembersQuery } from "../../../../../src/segments/schema.js";
import type { Choices } from "../components/choices.js";
import { customers as words } from "../words/en/customers.js";
import {
  buildSegmentFilter,
  type ListFilter,
  noFilter,
  pickSource,
  rewardChoices,
  visitChoices,
} from "./list-filter.js";

export const PAGE_SIZE = 25;

/** Maximum page size for a filter. */
const MAX_FILTER_PAGE = 100;

const fields = ["name", "email", "createdAt", "updatedAt", "externalId"] as const;

/** A customer field that the list can be sorted by, named as in the API. */
export type SortField = (typeof fields)[number];

/** A sort order for the list, such as `name,asc`. */
export type Sort = `${SortField},${"asc" | "desc"}`;

const NEWEST_FIRST: Sort = "createdAt,desc";

/** The sort orders that phones offer, where the list has no headings. */
export const sortChoices: Choices<Sort> = [
  [NEWEST_FIRST, words.sorts.newest],
  ["createdAt,asc", words.sorts.oldest],
  ["name,asc", words.sorts.name],
  ["name,desc", words.sorts.nameDown],
  ["email,asc", words.sorts.email],
  ["email,desc", words.sorts.emailDown],
];

/**
 * The list's search text, filters, page, and sort order, which are also stored in the URL. Search text can be combined only with
 * the card filter.
 */
export interface CustomerListQuery extends ListFilter {
  readonly search: string;
  readonly page: number;
  readonly sort: Sort;
}

export function parseQuery(search: URLSearchParams): CustomerListQuery {
  const page = Number(search.get("page") ?? 1);
  const sort = fields
    .flatMap((field) => [`${field},asc` as const, `${field},desc` as const])
    .find((each) => each === search.get("sort"));
  const [visit] = visitChoices.find(([each]) => each === search.get("visit")) ?? [""];
  const [reward] = rewardChoices.find(([each]) => each === search.get("reward")) ?? [""];
  return {
    search: search.get("search") ?? "",
    page: Number.isSafeInteger(page) && page > 0 ? page - 1 : 0,
    sort: sort ?? NEWEST_FIRST,
    templateId: search.get("card") ?? "",
    minStamps: search.get("min") ?? "",
    maxStamps: search.get("max") ?? "",
    segment: search.get("segment") ?? "",
    tag: search.get("tag") ?? "",
    visit,
    reward,
    filter: search.get("filter") ?? "",
  };
}

/** Converts a query to URL parameters. Parameters with default values become empty strings. */
export function toQueryParams(query: CustomerListQuery): Record<string, string> {
  const { search, page, sort, templateId, minStamps, maxStamps, segment, tag, visit, reward, filter } = query;
  return {
    search,
    page: page === 0 ? "" : String(page + 1),
    sort: sort === NEWEST_FIRST ? "" : sort,
    card: templateId,
    min: templateId === "" ? "" : minStamps,
    max: templateId === "" ? "" : maxStamps,
    segment,
    tag,
    visit,
    reward,
    filter,
  };
}

/**
 * Returns the query with the changes in `part` applied and the first page selected. Resets any other parts that can't be combined
 * with the changes.
 */
export function updateQuery(
  previous: CustomerListQuery,
  part: Partial<CustomerListQuery>,
): CustomerListQuery {
  const updated = { ...previous, page: 0, ...part };
  if (part.search !== undefined && part.search.trim() !== "" && pickSource(updated) !== "contacts")
    return { ...updated, ...noFilter };
  if (part.search === undefined && pickSource(updated) !== "contacts") return { ...updated, search: "" };
  return updated;
}

/**
 * Converts the query to parameters for the contacts API.
 * @param size the page size, at most 200.
 */
export function toContactsQuery(query: CustomerListQuery, size = PAGE_SIZE): ContactListQuery {
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

/** One page of the customers who match a query. */
export interface ContactPage {
  readonly content: readonly Contact[];
  readonly totalElements: number;
  readonly totalPages: number;
}

/** The API call that loads a page of the list. */
type ListCall =
  | { readonly group: "contacts"; readonly name: "list"; readonly args: readonly [ContactListQuery] }
  | {
      readonly group: "segments";
      readonly name: "members";
      readonly args: readonly [string, SegmentMembersQuery];
    }
  | { readonly group: "segments"; readonly name: "query"; readonly args: readonly [SegmentQuery] };

/**
 * Builds the API call that loads a page of the list.
 * @param size the page size, at most 200. Sizes above 100 are reduced to 100 if the list is loaded with a segment filter.
 */
export function buildListCall(query: CustomerListQuery, size = PAGE_SIZE): ListCall {
  const { page, sort, segment } = query;
  const source = pickSource(query);
  const filter = buildSegmentFilter(query);
  if (source === "contacts" || filter === null)
    return { group: "contacts", name: "list", args: [toContactsQuery(query, size)] };
  if (source === "segment")
    return { group: "segments", name: "members", args: [segment, { page, size, sort }] };
  return {
    group: "segments",
    name: "query",
    args: [{ filter, page, size: Math.min(size, MAX_FILTER_PAGE), sort }],
  };
}

/**
 * Loads a page of the list in one request.
 * @param size the page size, at most 200. Sizes above 100 are reduced to 100 if the list is loaded with a segment filter.
 */
export async function loadContacts(
  calls: OrganizationCalls,
  query: CustomerListQuery,
  size = PAGE_SIZE,
): Promise<ContactPage> {
  const call = buildListCall(query, size);
  if (call.name === "list") return calls.contacts.list(...call.args);
  const { content, ...totals } = await (call.name === "members"
    ? calls.segments.members(...call.args)
    : calls.segments.query(...call.args));
  return { ...totals, content: content.map(toContact) };
}

/**
 * Loads a page of the list with all the details that the screen shows. Sends one request if the list is loaded from the contacts
 * API, and at most two otherwise.
 */
export async function loadVisibleContacts(
  calls: OrganizationCalls,
  query: CustomerListQuery,
): Promise<ContactPage> {
  const call = buildListCall(query);
  if (call.name === "list") {
    const [listQuery] = call.args;
    return calls.contacts.list({ ...listQuery, includeStamps: true, includeSummary: true });
  }
  const contactPage = await loadContacts(calls, query);
  if (contactPage.content.length === 0) return contactPage;
  const ids = contactPage.content.map(({ id }) => id);
  const detailedPage = await calls.contacts.list({
    ids,
    size: ids.length,
    includeStamps: true,
    includeSummary: true,
  });
  const byId = new Map(detailedPage.content.map((contact) => [contact.id, contact]));
  // A customer who was deleted in the meantime is shown without details.
  return { ...contactPage, content: contactPage.content.map((contact) => byId.get(contact.id) ?? contact) };
}

function toContact(user: User): Contact {
  return { ...user, object: "contact", passInfos: [] };
}
