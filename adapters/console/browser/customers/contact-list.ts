import type { Contact } from "../../../../src/resources/contact.js";
import type { Page } from "../../../../src/resources/page.js";
import { shownEmail } from "../../../../src/values/joined-address.js";
import { get } from "../app/call.js";

export const PAGE_SIZE = 25;

/** Which customers the list shows. It stands in the address as it is. */
export interface ContactQuery {
  readonly search: string;
  readonly page: number;
  readonly sort: string;
  readonly templateId: string;
  readonly minStamps: string;
  readonly maxStamps: string;
}

export function queryIn(search: URLSearchParams): ContactQuery {
  const page = Number(search.get("page") ?? 1);
  return {
    search: search.get("search") ?? "",
    page: Number.isSafeInteger(page) && page > 0 ? page - 1 : 0,
    sort: search.get("sort") ?? "createdAt,desc",
    templateId: search.get("card") ?? "",
    minStamps: search.get("min") ?? "",
    maxStamps: search.get("max") ?? "",
  };
}

/** What the address says of a query; empty for what it need not say. */
export function inAddress(query: ContactQuery): Record<string, string> {
  return {
    search: query.search,
    page: query.page === 0 ? "" : String(query.page + 1),
    sort: query.sort === "createdAt,desc" ? "" : query.sort,
    card: query.templateId,
    min: query.templateId === "" ? "" : query.minStamps,
    max: query.templateId === "" ? "" : query.maxStamps,
  };
}

/** @param size at most 200. */
export function contactsPath(query: ContactQuery, size = PAGE_SIZE): string {
  const parameters = new URLSearchParams({ page: String(query.page), size: String(size), sort: query.sort });
  if (query.search.trim() !== "") parameters.set("search", query.search.trim());
  if (query.templateId === "") {
    parameters.set("includeStamps", "true");
  } else {
    parameters.set("templateId", query.templateId);
    parameters.set("minStamps", query.minStamps === "" ? "0" : query.minStamps);
    if (query.maxStamps !== "") parameters.set("maxStamps", query.maxStamps);
  }
  return `/v1/contacts?${parameters}`;
}

export const loadContacts = (query: ContactQuery, signal?: AbortSignal) =>
  get<Page<Contact>>(contactsPath(query), signal);

/** What to call a customer. */
export function nameOf({ name, email }: { readonly name: string | null; readonly email: string }): string {
  return name ?? shownEmail(email) ?? "Without a name";
}
