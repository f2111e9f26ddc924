import { parseUrl } from "./url.js";

/** The longest redirect URI of an app. */
export const MAX_REDIRECT_URI_LENGTH = 2_000;

/** A path and perhaps a query; nothing that two parsers could read differently. */
const rest = String.raw`[\x21\x24-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e%]*`;

/** Scheme, host and port, then the rest. */
const web = new RegExp(
  String.raw`^(https?):\/\/((?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)|\[[0-9a-f:.]+\])(:[0-9]{1,5})?(?:(?=[/?])${rest})?$`,
);

/** A domain of the app's maker in reverse order, and one slash, since no host follows (RFC 8252, section 7.1). */
const privateUse = new RegExp(String.raw`^[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+:\/(?!\/)${rest}$`);

/** A program on the machine of the browser, which takes the port that it gets (RFC 8252, section 7.3). */
const loopbackPort = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::[1-9][0-9]{0,4})?(?=[/?]|$)/;

const ownMachine: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** True for https, for http on the machine of the browser itself, and for the scheme of an app on a device. */
export function isRedirectUri(text: string): boolean {
  if (text.length > MAX_REDIRECT_URI_LENGTH || parseUrl(text) === null) return false;
  const [, scheme, host = ""] = web.exec(text) ?? [];
  return scheme === "https" || (scheme === "http" && ownMachine.includes(host)) || isOfPrivateUseScheme(text);
}

/** True for `com.example.app:/callback` and the like, which any app on the device can claim. */
export function isOfPrivateUseScheme(redirectUri: string): boolean {
  return privateUse.test(redirectUri);
}

/**
 * Returns whether an app may be answered there: the text is one of its redirect URIs to the letter. Only the port of a public app's
 * `http://127.0.0.1` and `http://[::1]` is free, since such a program can't choose it (RFC 8252, section 7.3).
 */
export function isRegisteredRedirectUri(
  { redirectUris, isPublic }: { readonly redirectUris: readonly string[]; readonly isPublic: boolean },
  asked: string,
): boolean {
  if (redirectUris.includes(asked)) return true;
  if (!isPublic || !loopbackPort.test(asked) || !isRedirectUri(asked)) return false;
  return redirectUris.some((each) => withoutPort(each) === withoutPort(asked));
}

function withoutPort(redirectUri: string): string {
  return redirectUri.replace(loopbackPort, "$1");
}
