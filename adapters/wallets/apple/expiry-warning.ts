/** How many days before a certificate expires that warnings start. */
export const EXPIRY_WARNING_DAYS = 30;
