/** So many days before a certificate ends, people are warned of it. */
export const WARNED_DAYS = 30;
