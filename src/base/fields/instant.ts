import * as z from "zod";

const FIRST = Date.parse("0000-01-01T00:00:00.000Z");
const LAST = Date.parse("9999-12-31T23:59:59.999Z");

/** Adds a check that rejects times outside the years 0000 to 9999 in UTC. A UTC offset can move a time out of that range. */
export function withinYears<S extends z.ZodType<string, string>>(schema: S) {
  return schema.refine((text) => !isOutOfRange(Date.parse(text)), {
    error: "must be within the years 0000 to 9999",
  });
}

function isOutOfRange(at: number): boolean {
  return at < FIRST || at > LAST;
}

/** The schema for an ISO 8601 timestamp with a time zone, for input from callers. */
export const instantText = withinYears(
  z.iso.datetime({ offset: true, error: "must be an ISO 8601 timestamp" }),
);
