import * as z from "zod";

const FIRST = Date.parse("0000-01-01T00:00:00.000Z");
const LAST = Date.parse("9999-12-31T23:59:59.999Z");

/** Adds a check that rejects times outside the years 0000 to 9999 in UTC. A UTC offset can move a time out of that range. */
function withinYears<S extends z.ZodType<string, string>>(schema: S) {
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

/** The schema for an ISO 8601 date, or for a time with a time zone. */
export const dayOrTime = withinYears(
  z.union([z.iso.datetime({ offset: true }), z.iso.datetime({ offset: true, precision: -1 }), z.iso.date()], {
    error: "must be a date such as 2024-05-31, or a time such as 2024-05-31T09:30:00Z",
  }),
);
