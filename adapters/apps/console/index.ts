/** An HTTP API extension that serves the console for an organization's staff. */
export type { ResolveSignedInUser, SignedInUser, SignInRedirect } from "../../http/auth/index.js";
export { type ConsoleOptions, createConsole } from "./server/console.js";
export type { ConsoleLink } from "./server/console-page.js";
export type { ConsoleUser } from "./server/console-user.js";
export type { ConsoleServer, ServerFinding } from "./server/server-check.js";
