/** Number of days before a certificate's expiration date at which warnings begin. */
export const EXPIRY_WARNING_DAYS = 30;
