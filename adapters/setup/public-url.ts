import { isSecureOrLocal, parseUrl } from "../../src/values/url.js";
import { error, type SetupFinding, warning } from "./finding.js";

/** Clauses that explain why a public URL that uses http, or that is on this machine, doesn't work. */
export interface PublicUrlReasons {
  readonly insecure: string;
  readonly local: string;
}

/** Checks a service's public URL. An http URL is an error, except on this machine, where it is a warning because tests use it. */
export function publicUrlFindings(publicUrl: string, { insecure, local }: PublicUrlReasons): SetupFinding[] {
  const url = parseUrl(publicUrl);
  const isPlain =
    url !== null &&
    ["http:", "https:"].includes(url.protocol) &&
    url.username === "" &&
    url.search === "" &&
    url.hash === "" &&
    !publicUrl.endsWith("/");
  if (!isPlain) {
    return [
      error(
        "public_url_invalid",
        "the public URL must be an https URL and have no user, query, fragment and slash at its end",
      ),
    ];
  }
  if (url.protocol === "https:") return [];
  return [
    isSecureOrLocal(url)
      ? warning("public_url_insecure", `the public URL is on this machine: ${local}`)
      : error("public_url_insecure", `the public URL must be https: ${insecure}`),
  ];
}
