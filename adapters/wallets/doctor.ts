import { urlOf } from "../../src/values/url.js";
import { type Drawer, lookOf } from "./drawing.js";
import { error, type Finding, warning } from "./finding.js";

/** What is wrong with the URL at which wallets reach the server: they take https alone, but for tests on this machine. */
export function publicUrlFindings(publicUrl: string): Finding[] {
  const url = urlOf(publicUrl);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    return [error("public_url_invalid", "the public URL must be an https URL")];
  }
  if (url.username !== "" || url.search !== "" || url.hash !== "" || publicUrl.endsWith("/")) {
    return [
      error("public_url_invalid", "the public URL must have no user, query, fragment and slash at its end"),
    ];
  }
  if (url.protocol === "https:") return [];
  return isLoopback(url.hostname)
    ? [
        warning(
          "public_url_insecure",
          "the public URL is on this machine: only tests reach it, no phone does",
        ),
      ]
    : [error("public_url_insecure", "the public URL must be https: phones and wallets refuse http")];
}

/** Whether stamps are drawn: one is, to see. @param drawer `null` when none is installed. */
export async function drawingFindings(drawer: Drawer | null): Promise<Finding[]> {
  const state = { look: lookOf(null), filled: 1, total: 2 };
  const drawn = await drawer?.strip(state, 1, async () => null).catch(() => null);
  return drawn == null
    ? [
        warning(
          "stamps_not_drawn",
          "stamps are told in numbers alone, and pictures kept as they were sent: install @resvg/resvg-wasm",
        ),
      ]
    : [];
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
