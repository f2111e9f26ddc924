import { type Address, onThisMachine, urlOf } from "./listen.js";

/**
 * By which browsers and phones reach the server, without a slash at its end; its own address unless another is given.
 * @returns `null` when its port is still to be found.
 */
export function publicUrlOf(given: string | undefined, place: Address): string | null {
  if (given !== undefined) return given.replace(/\/+$/, "");
  return place.port === 0 ? null : urlOf(onThisMachine(place));
}
