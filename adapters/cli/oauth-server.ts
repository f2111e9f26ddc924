import { InvalidArgumentError, Option } from "commander";
import type { LoyaltyService } from "../../src/loyalty-service.js";
import type { HttpExtension } from "../http/index.js";
import { partsOf } from "../http/path.js";
import { answerAt } from "../oauth/endpoint.js";
import { createOAuth } from "../oauth/index.js";
import { checkedIssuer } from "../oauth/issuer.js";
import { signInPath, TokenSignIn } from "./token-sign-in.js";

/** `--oauth-issuer`. What clients call the server must not change with the machine, so it has no default. */
export function oauthIssuerOption(): Option {
  return new Option(
    "--oauth-issuer <url>",
    "serve OAuth 2.0 too: the URL by which clients reach this server, https or on localhost",
  )
    .env("LOYALTY_OAUTH_ISSUER")
    .argParser(parseIssuer);
}

/** OAuth 2.0 where people sign in by an API token of their organization. */
export function oauthServer(loyalty: LoyaltyService, issuer: string): HttpExtension {
  const signIn = new TokenSignIn(loyalty, issuer);
  const oauth = createOAuth(loyalty, { issuer, signedIn: (request) => signIn.signedIn(request) });
  return {
    paths: [...oauth.paths, signInPath],
    handle: (request, onError) =>
      partsOf(request.url).path === signInPath
        ? answerAt(signIn, request, onError)
        : oauth.handle(request, onError),
  };
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
