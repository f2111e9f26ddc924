import { failure } from "../../../src/errors.js";

/** Where the API answers, whether or not it knows the path: any version and everything below it. */
const owned = /^\/v[0-9]+(?:[/?]|$)/;

/** Scheme and authority of a request target in absolute form, as clients of a proxy send it. */
const origin = /^https?:\/\/[^/?]*/i;

/** True for a path, with or without its query, that the API answers itself even when nothing is there. */
export function isOwned(path: string): boolean {
  return owned.test(path);
}

/** @returns `query` is what stands behind the question mark; `null` without one. */
export function partsOf(url: string): { readonly path: string; readonly query: string | null } {
  const mark = url.indexOf("?");
  return mark < 0 ? { path: url, query: null } : { path: url.slice(0, mark), query: url.slice(mark + 1) };
}

/** The request target as path and query. */
export function withoutOrigin(target: string): string {
  if (target.startsWith("/")) return target;
  const rest = target.replace(origin, "");
  return rest === "" || rest.startsWith("?") ? `/${rest}` : rest;
}

/** A mount path with a slash before it and none behind it; empty for the root. */
export function normalizedPrefix(prefix: string): string {
  const inner = prefix.split("/").filter((segment) => segment !== "");
  return inner.length === 0 ? "" : `/${inner.join("/")}`;
}

/** The part below the prefix where it is there; else the target as it is. */
export function belowPrefix(target: string, prefix: string): string {
  if (prefix === "" || !target.startsWith(prefix)) return target;
  const rest = target.slice(prefix.length);
  if (rest.startsWith("/")) return rest;
  return rest === "" || rest.startsWith("?") ? `/${rest}` : target;
}

/**
 * Decodes the percent-encoding of a part of a URL, strictly.
 * @throws {LoyaltyError} `malformed_request` when it is malformed, not UTF-8, or holds what a URL can't.
 */
export function decoded(part: string): string {
  if (!/^[\x21-\x7e]*$/.test(part)) throw failure("malformed_request");
  if (!part.includes("%")) return part;
  try {
    return decodeURIComponent(part);
  } catch (cause) {
    throw failure("malformed_request", null, { cause });
  }
}
