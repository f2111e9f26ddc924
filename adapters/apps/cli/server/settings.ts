import { InvalidArgumentError } from "commander";
import proxyAddr from "proxy-addr";
import { clientAddressOf } from "../../../../src/base/values/networks.js";
import { canBeBase } from "../../../../src/base/values/short-link.js";
import { parseUrl } from "../../../../src/base/values/url.js";
import {
  isLimitName,
  isRetentionName,
  type OrganizationLimits,
  parseLimits,
  parseRetention,
  type RetentionOptions,
  retentionBounds,
} from "../../../../src/kernel/limits.js";
import { validateIssuer } from "../../../http/auth/oauth/metadata.js";
import type { GetClientAddress, RateQuota } from "../../../http/index.js";
import { assertQuota, type TimeQuota } from "../../../http/rate-limits/store.js";
import { stripPort } from "../../../http/request/http-message.js";
import { redactUrl } from "../database/postgres-database.js";
import { CommandError, USAGE_ERROR_CODE } from "../terminal/command-error.js";
import {
  choice,
  flag,
  optional,
  repeatable,
  type SettingValues,
  text,
  withDefault,
} from "../terminal/setting.js";
import { createNumberParser, createParser, parseDuration, parseNamedNumbers } from "../terminal/values.js";
import { parseOperators } from "./operators.js";

const file = text("<file>");
const url = text("<url>");

const linkBase = {
  form: "<url>",
  read: createParser(
    (input) => (/^https?:$/.test(parseUrl(input)?.protocol ?? "") && canBeBase(input) ? input : null),
    "It must be an http or https URL without a query or fragment.",
  ),
};

const issuer = {
  form: "<url>",
  read: createParser(
    validateIssuer,
    "It must be an https URL, or an http URL on localhost, without a query, fragment, or trailing slash.",
  ),
};

/** Rejects an empty address, because Node would listen on all of the machine's addresses. */
const address = {
  form: "<address>",
  read: createParser((input) => (input.trim() === "" ? null : input), "It must not be empty."),
};

const port = {
  form: "<number>",
  read: createParser(
    (input) => (/^[0-9]{1,5}$/.test(input) && Number(input) <= 65_535 ? Number(input) : null),
    "It must be a number from 0 to 65535.",
  ),
};

const connections = { form: "<number>", read: createNumberParser(9_999_999) };

/** A duration of at most one day, which is the maximum that Postgres accepts. */
const createDurationKind = (example: string, allowZero = false) => ({
  form: "<duration>",
  read: createParser((input) => {
    const ms = allowZero && input === "0s" ? 0 : parseDuration(input);
    return ms === null || ms > 86_400_000 ? null : ms;
  }, `It must be a duration of at most one day, such as ${example} or 5m.`),
});

const quota = { form: "<count/seconds>", read: parseQuota };
const timeQuota = { form: "<ms/seconds>", read: parseTimeQuota };

const publicUrl = optional(url, "public https URL where customers, phones, and wallets can reach the server");

/** Wallet settings. Both `serve` and `wallets check` accept them. */
export const walletSettings = {
  publicUrl,
  appleCertificate: optional(file, "Apple pass type certificate (PEM)"),
  appleKey: optional(file, "private key for the Apple pass type certificate (PEM)"),
  appleWwdr: optional(file, "Apple's WWDR G4 intermediate certificate (PEM)"),
  applePassphraseFile: optional(file, "file containing the passphrase for your Apple private key"),
  appleOrganizationName: optional(
    text("<text>"),
    "organization name shown on passes (default: the name in the certificate)",
  ),
  applePushUrl: optional(url, "push notification service URL, for testing (default: Apple's)"),
  applePushCa: optional(file, "CA certificate for a test push notification service (PEM)"),
  googleIssuer: optional(text("<id>"), "Google Wallet issuer ID"),
  googleServiceAccount: optional(file, "service account key for the Google Wallet issuer (JSON)"),
  googleIssuerName: optional(text("<text>"), "issuer name shown on cards (default: the card's title)"),
  googleCallsPerSecond: optional(
    { form: "<n>", read: createParser(parseRate, "It must be a number greater than 0.") },
    "maximum number of calls per second from this process to Google (default: 20, Google's quota for all processes combined)",
  ),
  googleApiUrl: optional(url, "Google Wallet API URL, for testing (default: Google's)"),
  googleTokenUrl: optional(url, "access token URL, for testing (default: Google's)"),
  googleKeysUrl: optional(url, "URL of the keys used to verify callbacks, for testing (default: Google's)"),
  walletsOperator: optional(
    text("<organization>"),
    "organization that receives certificate expiration events (default: every organization with wallet passes)",
  ),
};

/** Mail settings for `serve` and `mail check`, which both also take the public URL. */
const mailServerSettings = {
  // The URL isn't validated here, because the error would show the whole value, which may contain a password.
  smtpUrl: optional(
    url,
    "mail server, in the form smtps://user@host, or smtp://user@host to use STARTTLS (default: none; no emails are sent)",
  ),
  smtpPasswordFile: optional(
    file,
    "file containing the mail server password; overrides the password in the URL",
  ),
  mailFrom: optional(
    text("<address>"),
    'sender of emails, for example "Café <cards@cafe.example>"; organizations can set a different name',
  ),
  mailReplyTo: optional(
    text("<address>"),
    "reply-to address for emails; organizations can set a different one",
  ),
  mailBounceDomain: optional(
    text("<domain>"),
    "domain that receives bounces, at bounce+<delivery ID>@<domain> (default: bounces go to the sender)",
  ),
  mailDkimKey: optional(file, "RSA private key for signing emails with DKIM (PEM)"),
  mailDkimSelector: optional(
    text("<name>"),
    "DKIM selector; the public key must be published at <name>._domainkey on the sender's domain",
  ),
  mailRate: withDefault(
    "10/1",
    { form: "<count/seconds>", read: parseMailRate },
    "sending rate for this process, in the form <emails>/<seconds>",
  ),
};

/** The settings that `mail check` accepts: the mail server settings and the public URL. */
export const mailCheckSettings = { publicUrl, ...mailServerSettings };

/** The settings that `serve` accepts. Parsed durations are in milliseconds. */
export const serverSettings = {
  poolSize: withDefault(
    "10",
    { form: "<number>", read: createNumberParser(9_999) },
    "maximum number of Postgres connections",
  ),
  statementTimeout: withDefault("10s", createDurationKind("10s"), "Postgres statement timeout"),
  connectTimeout: withDefault("5s", createDurationKind("5s"), "Postgres connection timeout"),
  wait: withDefault(
    "60s",
    createDurationKind("60s", true),
    "how long to wait for an unreachable database at startup",
  ),
  replicaUrl: repeatable(
    { form: "<url>", read: parseReplicaUrl },
    "Postgres replica for long reads; can be repeated",
  ),
  host: withDefault("127.0.0.1", address, "address to listen on"),
  port: withDefault("3000", port, "port to listen on, or 0 for any free port"),
  shortLinkBase: optional(linkBase, "base URL for links in QR codes (default: /c on the public URL)"),
  previousShortLinkBase: repeatable(linkBase, "previous value of --short-link-base; can be repeated"),
  rateLimit: withDefault("1000/60", quota, "rate limit per token, in the form <requests>/<seconds>, or off"),
  organizationRateLimit: optional(
    quota,
    "rate limit per organization, in the form <requests>/<seconds>, or off (default: ten times the limit per token)",
  ),
  organizationTime: withDefault(
    "30000/60",
    timeQuota,
    "maximum processing time per organization while other organizations are making calls, in the form <milliseconds>/<seconds>, or off",
  ),
  limits: optional(
    { form: "<list>", read: parseOrganizationLimits },
    "limits per organization, for example tags=10000,apps=20; see docs/limits.md",
  ),
  retention: optional(
    { form: "<list>", read: parseRetentionText },
    "how long to keep data, for example eventDays=7,idempotencyHours=12; see docs/privacy.md",
  ),
  trustedProxy: optional(
    {
      form: "<list>",
      read: createParser(
        parseProxies,
        "Use IP addresses, networks such as 10.0.0.0/8, or loopback, separated by commas.",
      ),
    },
    "trust X-Forwarded-For and X-Forwarded-Proto headers from these proxies (comma-separated addresses, networks, or the names loopback, linklocal, and uniquelocal)",
  ),
  requestTimeout: withDefault(
    "30s",
    { form: "<duration>", read: createParser(parseDuration, "It must be a duration such as 30s or 5m.") },
    "maximum time for receiving a request, such as 30s or 5m",
  ),
  maxConnections: withDefault("5000", connections, "maximum number of connections"),
  maxConnectionsPerAddress: withDefault(
    "500",
    connections,
    "maximum number of connections per IP address or IPv6 /64 network, except for proxies in --trusted-proxy",
  ),
  log: choice(
    "<format>",
    ["text", "json"],
    "log format; json writes messages and requests to standard output as JSON lines",
  ),
  metricsPort: optional(port, "port for Prometheus metrics at /metrics, or 0 for any free port"),
  openTelemetry: flag(
    "trace calls, requests, and deliveries with the OpenTelemetry SDK that is loaded through NODE_OPTIONS=--import",
  ),
  oauthIssuer: optional(
    issuer,
    "also serve OAuth 2.0 at this issuer URL, which must use https or be on localhost",
  ),
  passkeys: flag(
    "let staff sign in to the console with passkeys, which work only on the host in --public-url; requires @simplewebauthn/server",
  ),
  operators: optional(
    {
      form: "<list>",
      read: createParser(
        parseOperators,
        "Use emails of staff and IDs of API tokens, such as akt_0198c5, separated by commas.",
      ),
    },
    "who runs the server, and sees the doctor's findings in the console: emails of staff, who must have signed in by email, and IDs of API tokens, separated by commas",
  ),
  webhooks: flag("don't deliver webhooks from this process", true),
  webhooksAllowLoopback: flag(
    "allow webhook endpoints on this machine, including over http (for development)",
  ),
  ...mailServerSettings,
  mail: flag("don't send emails from this process", true),
  ...walletSettings,
  appleBadge: optional(file, "Apple Wallet badge for the card page (PNG or SVG)"),
  googleBadge: optional(file, "Google Wallet button for the card page (PNG or SVG)"),
  demo: flag(
    "create a demo organization and an API token if the database is empty; without --smtp-url, emails appear in a mailbox in the console",
  ),
};

export type ServerSettings = SettingValues<typeof serverSettings>;

export type WalletSettings = SettingValues<typeof walletSettings>;

export type MailSettings = SettingValues<typeof mailCheckSettings>;

function parseRate(input: string): number | null {
  const callsPerSecond = Number(input);
  return Number.isFinite(callsPerSecond) && callsPerSecond > 0 ? callsPerSecond : null;
}

function parseReplicaUrl(text: string): string {
  if (redactUrl(text) === null)
    throw new CommandError("--replica-url must be a postgres:// URL", USAGE_ERROR_CODE);
  return text;
}

function parseQuota(text: string): RateQuota | false {
  if (text === "off") return false;
  const [, requests, seconds] = /^([0-9]+)\/([0-9]+)$/.exec(text) ?? [];
  const quota = { requests: Number(requests), seconds: Number(seconds) };
  try {
    assertQuota(quota);
  } catch {
    throw new InvalidArgumentError(
      "Use off or a count and a number of seconds, such as 1000/60. The time can be at most one day.",
    );
  }
  return quota;
}

function parseTimeQuota(text: string): TimeQuota | false {
  const quota = parseQuota(text);
  return quota && { milliseconds: quota.requests, seconds: quota.seconds };
}

function parseMailRate(text: string): RateQuota {
  const rate = parseQuota(text);
  if (rate === false) throw new InvalidArgumentError("Use the form <emails>/<seconds>, such as 10/1.");
  return rate;
}

function parseOrganizationLimits(text: string): OrganizationLimits {
  const limits = parseNamedNumbers(text, Object.keys(parseLimits()).filter(isLimitName), "tags=10000");
  try {
    parseLimits(limits);
  } catch {
    throw new InvalidArgumentError("Each limit must be a positive integer.");
  }
  return limits;
}

function parseRetentionText(text: string): RetentionOptions {
  const retention = parseNamedNumbers(
    text,
    Object.keys(retentionBounds).filter(isRetentionName),
    "eventDays=7",
  );
  try {
    parseRetention(retention);
  } catch (error) {
    throw new InvalidArgumentError(`${error instanceof Error ? error.message : error}.`);
  }
  return retention;
}

/** Parses the trusted proxies. `addressOf` returns the last address in `X-Forwarded-For` that isn't a trusted proxy. */
function parseProxies(text: string): {
  readonly addressOf: GetClientAddress;
  readonly isProxy: (address: string) => boolean;
} {
  const isTrusted = proxyAddr.compile(text.split(",").map((part) => part.trim()));
  // `proxy-addr` also accepts 127.1 and 2130706433 as addresses, which the rest of the code doesn't.
  const isProxy = (address: string) => clientAddressOf(address) !== null && isTrusted(address, 0);
  return {
    addressOf(request) {
      // A connection that has already closed has no address.
      if (request.socket.remoteAddress === undefined) return null;
      return proxyAddr(request, (address) => isProxy(stripPort(address))) || null;
    },
    isProxy,
  };
}
