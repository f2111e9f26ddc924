import { sql } from "kysely";

/** After the end of every lot that ends. */
export const ENDLESS = Number.MAX_SAFE_INTEGER;

/** The time from which a lot's points can't be used. {@link ENDLESS} if the lot never ends. */
export const lotEnd = sql<number>`coalesce(grace_until, expires_at, ${sql.lit(ENDLESS)})`;
