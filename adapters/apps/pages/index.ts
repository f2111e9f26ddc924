/** Customer-facing pages that extend the HTTP API, including the card page and the sign-up page. */
export type { Badges } from "./badges.js";
export type { WalletLink } from "./card-page.js";
export { createPages, type PagesOptions } from "./pages.js";
export type { ExistingCustomer } from "./sign-up.js";
