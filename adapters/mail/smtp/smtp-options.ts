import { parseUrl } from "../../../src/values/url.js";

/** A mail server and its login. */
export interface SmtpOptions {
  /**
   * `smtps://user@mail.example` (TLS from the start, port 465) or `smtp://user@mail.example` (port 587). With `smtp`, STARTTLS is
   * required, except for servers on this machine. `?tls=off` disables TLS, and `?tls=on` requires it for servers on this machine
   * too. The URL may contain the user and a password, percent-encoded.
   */
  readonly url: string;
  /** Overrides the password in the URL. Neither password appears in logs, errors or findings. */
  readonly password?: string;
  /** Certificate authorities to trust in place of Node's defaults, in PEM format. */
  readonly ca?: string;
  /** Maximum number of open connections, 1 to 50. Default: 5. */
  readonly connections?: number;
}

/** The server that accepts outgoing mail. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** `start`: TLS from the start. `upgrade`: STARTTLS is required. `off`: no TLS. */
  readonly tls: "start" | "upgrade" | "off";
  /** Whether the server is on this machine. */
  readonly isLocal: boolean;
  /** The login; `null` to send without one. */
  readonly user: { readonly name: string; readonly password: string } | null;
  readonly ca: string | null;
  readonly connections: number;
}

const MAX_CONNECTIONS = 50;
const CONNECTIONS = 5;

/**
 * Parses the options.
 * @throws {TypeError} if they are malformed. The message quotes nothing from the URL, which may contain a password.
 */
export function parseSmtpOptions(given: string | SmtpOptions): SmtpServer {
  const options = typeof given === "string" ? { url: given } : given;
  const url = parseUrl(options.url);
  const isTls = url?.protocol === "smtps:";
  if (url === null || (!isTls && url.protocol !== "smtp:") || url.hostname === "") {
    throw new TypeError("the SMTP URL must begin with smtps:// or smtp:// and name a host");
  }
  if ((url.pathname !== "" && url.pathname !== "/") || url.hash !== "") {
    throw new TypeError("the SMTP URL must have no path and no fragment");
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const isLocal = isLoopback(host);
  const { connections = CONNECTIONS } = options;
  if (!Number.isInteger(connections) || connections < 1 || connections > MAX_CONNECTIONS) {
    throw new TypeError(`connections must be 1 to ${MAX_CONNECTIONS}`);
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
  const wanted = parameters.get("tls") ?? (isLocal ? "off" : "on");
  const isKnown = [...parameters.keys()].every((name) => name === "tls");
  if (!isKnown || (wanted !== "on" && wanted !== "off")) {
    throw new TypeError("the SMTP URL may have ?tls=on or ?tls=off and nothing else after its host");
  }
  return wanted === "on" ? "upgrade" : "off";
}

function parseSmtpUser(url: URL, password: string | undefined): SmtpServer["user"] {
  const name = decoded(url.username);
  const secret = password ?? decoded(url.password);
  if (name === "" && secret === "") return null;
  if (name === "" || secret === "")
    throw new TypeError("signing in to the mail server takes a user and a password");
  return { name, password: secret };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new TypeError("the user and the password of the SMTP URL must be percent-encoded");
  }
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}
