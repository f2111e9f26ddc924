import type { CreateTemplate } from "loyalty-kit";

/** The organization that all processes work on. */
export const ORGANIZATION = "acme";

/** All events are checked, so none may be removed. */
export const retention = { maxEvents: Number.MAX_SAFE_INTEGER };

/** The only template. The first worker creates it. */
export const card: CreateTemplate = { name: "Card", type: "STAMP_CARD", maxStamps: 5 };
