import { parseUrl } from "../../../../src/base/values/url.js";

/** Connection settings for an SMTP server. */
export interface SmtpOptions {
  /**
   * The server's URL. `smtps://user@mail.example` uses TLS from the start, on port 465 by default. `smtp://user@mail.example` uses
   * port 587 by default and requires STARTTLS unless the host is `localhost` or a loopback address. Append `?tls=off` to disable
   * TLS, or `?tls=on` to require it even for these hosts. A user name or password in the URL must be percent-encoded.
   */
  readonly url: string;
  /** The password. Overrides any password in the URL. Passwords never appear in logs, errors, or findings. */
  readonly password?: string;
  /** PEM-encoded certificate authorities to trust instead of Node.js's defaults. */
  readonly ca?: string;
  /** Maximum number of open connections, from 1 to 50. Default: 5. */
  readonly connections?: number;
}

/** A mail server's settings, validated and with defaults filled in. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** How to use TLS: from the start of the connection (`start`), by upgrading with STARTTLS (`upgrade`), or not at all (`off`). */
  readonly tls: "start" | "upgrade" | "off";
  /** Whether the server's host is `localhost` or a loopback address. */
  readonly isLocal: boolean;
  /** The login credentials, or `null` to send without logging in. */
  readonly user: { readonly name: string; readonly password: string } | null;
  readonly ca: string | null;
  readonly connections: number;
}

const MAX_CONNECTIONS = 50;
const DEFAULT_CONNECTIONS = 5;

/**
 * Parses and validates the mail server options.
 * @throws {TypeError} if the options are malformed. The error message never quotes the URL, because it might contain a password.
 */
export function parseSmtpOptions(input: string | SmtpOptions): SmtpServer {
  const options = typeof input === "string" ? { url: input } : input;
  const url = parseUrl(options.url);
  const isTls = url?.protocol === "smtps:";
  if (url === null || (!isTls && url.protocol !== "smtp:") || url.hostname === "") {
    throw new TypeError("the SMTP URL must start with smtps:// or smtp:// and include a host");
  }
  if ((url.pathname !== "" && url.pathname !== "/") || url.hash !== "") {
    throw new TypeError("the SMTP URL must not have a path or fragment");
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const isLocal = isLoopback(host);
  const { connections = DEFAULT_CONNECTIONS } = options;
  if (!Number.isInteger(connections) || connections < 1 || connections > MAX_CONNECTIONS) {
    throw new TypeError(`connections must be from 1 to ${MAX_CONNECTIONS}`);
  }
  return {
    host,
    port: url.port === "" ? (isTls ? 465 : 587) : Number(url.port),
    tls: isTls ? "start" : parseTls(url.searchParams, isLocal),
    isLocal,
    user: parseSmtpUser(url, options.password),
    ca: options.ca ?? null,
    connections,
  };
}

function parseTls(parameters: URLSearchParams, isLocal: boolean): "upgrade" | "off" {
  const tlsMode = parameters.get("tls") ?? (isLocal ? "off" : "on");
  const hasOnlyKnownParameters = [...parameters.keys()].every((name) => name === "tls");
  if (!hasOnlyKnownParameters || (tlsMode !== "on" && tlsMode !== "off")) {
    throw new TypeError(
      "the SMTP URL can end with ?tls=on or ?tls=off, but nothing else can follow the host",
    );
  }
  return tlsMode === "on" ? "upgrade" : "off";
}

function parseSmtpUser(url: URL, password: string | undefined): SmtpServer["user"] {
  const name = decodeCredential(url.username);
  const secret = password ?? decodeCredential(url.password);
  if (name === "" && secret === "") return null;
  if (name === "" || secret === "")
    throw new TypeError("the mail server requires both a user and a password");
  return { name, password: secret };
}

function decodeCredential(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new TypeError("the user and password in the SMTP URL must be percent-encoded");
  }
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}
