import { isSecureOrLocal, parseUrl } from "../../src/base/values/url.js";

/** A current or upcoming problem with the setup. */
export interface SetupFinding {
  /** `error` if something doesn't work, or `warning` if something might not work. */
  readonly severity: "error" | "warning";
  /** A code that identifies the problem. Codes never change. */
  readonly code: string;
  /** Describes the problem and how to fix it. Never contains secrets. */
  readonly message: string;
}

export const error = (code: string, message: string): SetupFinding => ({ severity: "error", code, message });
export const warning = (code: string, message: string): SetupFinding => ({
  severity: "warning",
  code,
  message,
});

/**
 * Explanations to include in findings about a public URL: why it must use https (`insecure`), and why it shouldn't point to this
 * machine (`local`).
 */
interface PublicUrlReasons {
  readonly insecure: string;
  readonly local: string;
}

/**
 * Checks a service's public URL, which must use https. An http URL that points to this machine causes only a warning, because tests
 * use such URLs.
 * @returns the problems, or an empty array if there are none.
 */
export function checkPublicUrl(publicUrl: string, { insecure, local }: PublicUrlReasons): SetupFinding[] {
  const url = parseUrl(publicUrl);
  const isValid =
    url !== null &&
    ["http:", "https:"].includes(url.protocol) &&
    url.username === "" &&
    url.search === "" &&
    url.hash === "" &&
    !publicUrl.endsWith("/");
  if (!isValid) {
    return [
      error(
        "public_url_invalid",
        "the public URL must be an https URL without a user, query, fragment or trailing slash",
      ),
    ];
  }
  if (url.protocol === "https:") return [];
  return [
    isSecureOrLocal(url)
      ? warning("public_url_insecure", `the public URL points to this machine: ${local}`)
      : error("public_url_insecure", `the public URL must be https: ${insecure}`),
  ];
}
