import { isSecureOrLocal, parseUrl } from "../../src/values/url.js";
import { error, type SetupFinding, warning } from "./finding.js";

/** Says in a clause each why the public URL is no good: over http, and on this machine. */
export interface PublicUrlReasons {
  readonly insecure: string;
  readonly local: string;
}

/** Checks the public URL of a service. Over http it is an error, and on this machine, where tests have it, a warning. */
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
