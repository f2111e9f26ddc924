/** The screens for the people of an organization, as an extension of the HTTP interface. */
export type { ResolveSignedInUser, SignedInUser, SignInRedirect } from "../auth/index.js";
export { type ConsoleOptions, createConsole } from "./server/console.js";
export type { ConsoleLink } from "./server/console-page.js";
