import { isLoopbackLink } from "../../../src/values/short-link.js";
import { type Address, onThisMachine, urlOf } from "./listen.js";

/**
 * By which browsers and phones reach the server, without a slash at its end; its own address unless another is given.
 * @returns `null` when its port is still to be found.
 */
export function publicUrlOf(given: string | undefined, place: Address): string | null {
  if (given !== undefined) return given.replace(/\/+$/, "");
  return place.port === 0 ? null : urlOf(onThisMachine(place));
}

/** A base of short links by which no customer's phone finds a card, with the reason; `null` for one by which it may. */
export function uselessLinkBase(shortLinkBase: string | undefined): string | null {
  if (shortLinkBase === undefined) return "https://pass.invalid, which leads nowhere";
  return isLoopbackLink(shortLinkBase) ? `${shortLinkBase}, which names the machine that opens it` : null;
}
