import type { CreateTemplate } from "loyalty-kit";

/** What all processes work on. */
export const ORGANIZATION = "acme";

/** Every event is looked at, so none may go. */
export const retention = { maxEvents: Number.MAX_SAFE_INTEGER };

/** The only template. The first worker makes it. */
export const card: CreateTemplate = { name: "Card", type: "STAMP_CARD", maxStamps: 5 };
