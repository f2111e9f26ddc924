import { timingSafeEqual } from "node:crypto";

/** Compares texts in a time that tells nothing about where they differ. Their lengths are no secret. */
export function isSameSecret(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.byteLength === right.byteLength && timingSafeEqual(left, right);
}
