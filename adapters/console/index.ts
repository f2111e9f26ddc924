export type { SignedIn, SignedInUser, SignInRedirect } from "../oauth/index.js";
export { type ConsoleOptions, createConsole } from "./server/console.js";
