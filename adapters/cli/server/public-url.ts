import { InvalidArgumentError, Option } from "commander";
import { type Address, onThisMachine, urlOf } from "./listen.js";

/** `--public-url`, by which browsers and phones reach the server. */
export function publicUrlOption(): Option {
  return new Option(
    "--public-url <url>",
    "by which browsers and phones reach the server; its own address unless given",
  )
    .env("LOYALTY_PUBLIC_URL")
    .argParser(parsePublicUrl);
}

/** What is known of it before the server listens; `null` when its port is still to be found. */
export function publicUrlOf(given: string | undefined, place: Address): string | null {
  if (given !== undefined) return given;
  return place.port === 0 ? null : urlOf(onThisMachine(place));
}

function parsePublicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") {
    throw new InvalidArgumentError("It must be an http or https URL, without query and fragment.");
  }
  return text.replace(/\/+$/, "");
}
