/** Number of days before a certificate's expiration at which warnings start. */
export const EXPIRY_WARNING_DAYS = 30;
