/** How many days before a certificate expires the warning begins. */
export const EXPIRY_WARNING_DAYS = 30;
