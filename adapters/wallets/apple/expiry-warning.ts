/** So many days before a certificate ends, people are warned of it. */
export const EXPIRY_WARNING_DAYS = 30;
