/** The console for an organization's staff, as an extension of the HTTP API. */
export type { ResolveSignedInUser, SignedInUser, SignInRedirect } from "../auth/index.js";
export { type ConsoleOptions, createConsole } from "./server/console.js";
export type { ConsoleLink } from "./server/console-page.js";
