/** The most units that a purchase gives to a card. */
export const MAX_UNITS = 1_000_000_000;

/** The most stamps that a purchase gives to a card. Each full card has an event of its own. */
export const MAX_STAMPS_PER_PURCHASE = 10_000;
