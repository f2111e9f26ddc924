import { z } from "zod";

/** An ISO 8601 timestamp in UTC with milliseconds, as the interface writes it. */
export const wireTimestamp = z.iso.datetime({ precision: 3 });
