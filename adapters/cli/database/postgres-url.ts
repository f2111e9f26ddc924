import { urlOf } from "../../../src/values/url.js";

/** Scheme, user, password, host with port and database, parameters. What has a meaning in URLs is encoded elsewhere. */
const form = /^(postgres(?:ql)?:\/\/)(?:([^:@/?#]*)(?::[^/?#]*)?@)?([^@?#]*)(?:\?([^@#]*))?$/i;

/**
 * The URL of a Postgres database as it may be shown: without its password.
 * @returns null when it is no such URL. One that could be taken for another than was meant is none either: its name
 *   would show a part of the password.
 */
export function shownUrl(text: string): string | null {
  const [, scheme = "", user = "", place = "", query = ""] = form.exec(text) ?? [];
  // There are URLs without a host too, or with several, which elsewhere are none.
  const one = text.replace("@/", "@host/").replace(place, place.replace(/,[^/]*/, ""));
  if (scheme === "" || urlOf(one) === null) return null;
  const parameters = new URLSearchParams(query);
  for (const name of [...parameters.keys()]) if (/pass/i.test(name)) parameters.delete(name);
  return [scheme, user && `${user}@`, place, parameters.size > 0 && `?${parameters}`]
    .filter(Boolean)
    .join("");
}
