/** Days before a certificate's expiry at which warnings begin. */
export const EXPIRY_WARNING_DAYS = 30;
