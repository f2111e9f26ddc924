import { z } from "zod";
import { timestamp } from "../../values/clock.js";

/** An ISO 8601 timestamp in UTC with milliseconds, as the interface writes it. */
export const wireTimestamp = z.iso.datetime({ precision: 3 });

export function timesOf(row: { createdAt: number; updatedAt: number }): {
  createdAt: string;
  updatedAt: string;
} {
  const createdAt = timestamp(row.createdAt);
  return { createdAt, updatedAt: row.updatedAt === row.createdAt ? createdAt : timestamp(row.updatedAt) };
}

export function timestampOrNull(ms: number | null): string | null {
  return ms === null ? null : timestamp(ms);
}
