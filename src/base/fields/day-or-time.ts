import * as z from "zod";
import { withinYears } from "./instant.js";

/** The schema for an ISO 8601 date, or for a time with a time zone. */
export const dayOrTime = withinYears(
  z.union([z.iso.datetime({ offset: true }), z.iso.datetime({ offset: true, precision: -1 }), z.iso.date()], {
    error: "must be a date such as 2024-05-31, or a time such as 2024-05-31T09:30:00Z",
  }),
);
