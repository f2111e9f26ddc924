import { InvalidArgumentError, Option } from "commander";
import { KEY_BYTES } from "../../oauth/consent-seal.js";
import { checkedIssuer } from "../../oauth/issuer.js";
import { CommandError, WRONG_USAGE } from "../terminal/command-error.js";

/** `--oauth-issuer`. What clients call the server must not change with the machine, so it has no default. */
export function oauthIssuerOption(): Option {
  return new Option(
    "--oauth-issuer <url>",
    "serve OAuth 2.0 too: the URL by which clients reach this server, https or on localhost",
  )
    .env("LOYALTY_OAUTH_ISSUER")
    .argParser(parseIssuer);
}

/** For the help of the command. A flag would show the key in the list of processes. */
export const oauthKeyHelp = `
LOYALTY_OAUTH_KEY, which has no option: a secret of at least ${KEY_BYTES} bytes for
the sign-in and the consent page, the same in all processes of one issuer;
without it, each process takes only what it has sent itself.`;

/** The key that processes share, from the environment. @throws {CommandError} when it is too short. */
export function oauthKeyIn({ LOYALTY_OAUTH_KEY: key }: NodeJS.ProcessEnv): string | undefined {
  if (key === undefined || Buffer.byteLength(key) >= KEY_BYTES) return key;
  throw new CommandError(
    `the environment variable LOYALTY_OAUTH_KEY must have at least ${KEY_BYTES} bytes`,
    WRONG_USAGE,
  );
}

function parseIssuer(text: string): string {
  try {
    return checkedIssuer(text);
  } catch {
    throw new InvalidArgumentError(
      "It must be an https URL, or an http URL of localhost, without query, fragment and slash at its end.",
    );
  }
}
