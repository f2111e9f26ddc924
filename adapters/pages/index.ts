export type { Badges } from "./badges.js";
export type { WalletLink } from "./card-page.js";
export type { KnownJoiner } from "./joining.js";
export { createPages, type PagesOptions } from "./pages.js";
