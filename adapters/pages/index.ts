/** Pages for customers, as an extension of the HTTP interface: their card, and joining. */
export type { Badges } from "./badges.js";
export type { WalletLink } from "./card-page.js";
export { createPages, type PagesOptions } from "./pages.js";
export type { ExistingCustomer } from "./sign-up.js";
