import { timingSafeEqual } from "node:crypto";

/** Compares strings in constant time. The time can still reveal whether their lengths differ. */
export function isSameSecret(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.byteLength === right.byteLength && timingSafeEqual(left, right);
}
