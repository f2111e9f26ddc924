/** Warnings begin this many days before a certificate expires. */
export const EXPIRY_WARNING_DAYS = 30;
