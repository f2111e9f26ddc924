import { chunkOf, clearBit, setBit } from "../../../src/storage/bitmap.js";
import type { WriteSession } from "./write-session.js";

/** Adds a user to a set. */
export function include(
  { pending }: WriteSession,
  organizationId: string,
  setId: number,
  ordinal: number,
): Promise<void> {
  return pending.mark(organizationId, setId, chunkOf(ordinal), (bits) => setBit(bits, ordinal));
}

/** Takes a user from a set. */
export function exclude(
  { pending }: WriteSession,
  organizationId: string,
  setId: number,
  ordinal: number,
): Promise<void> {
  return pending.mark(organizationId, setId, chunkOf(ordinal), (bits) => clearBit(bits, ordinal));
}
