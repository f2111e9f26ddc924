import { InvalidArgumentError } from "commander";
import proxyAddr from "proxy-addr";
import {
  isLimit,
  isRetention,
  limitsOf,
  type OrganizationLimits,
  type RetentionOptions,
  retentionBounds,
  retentionOf,
} from "../../../src/tenant/limits.js";
import { clientAddressOf } from "../../../src/values/ip-address.js";
import { canBeBase } from "../../../src/values/short-link.js";
import { urlOf } from "../../../src/values/url.js";
import { checkedIssuer } from "../../auth/oauth/metadata.js";
import type { GetClientAddress, RateQuota } from "../../http/index.js";
import { assertQuota, type TimeQuota } from "../../http/rate-limits/store.js";
import { addressWithoutPort } from "../../http/request/message.js";
import { shownUrl } from "../database/postgres-database.js";
import { CommandError, WRONG_USAGE } from "../terminal/command-error.js";
import { choice, flag, optional, repeated, text, usually, type ValuesOf } from "../terminal/setting.js";
import { durationMs, namedNumbers, numberUpTo, reader } from "../terminal/values.js";

const file = text("<file>");
const url = text("<url>");

const linkBase = {
  form: "<url>",
  read: reader(
    (given) => (/^https?:$/.test(urlOf(given)?.protocol ?? "") && canBeBase(given) ? given : null),
    "It must be an http or https URL without a query and a fragment.",
  ),
};

const issuer = {
  form: "<url>",
  read: reader(
    checkedIssuer,
    "It must be an https URL, or an http URL of localhost, without query, fragment and slash at its end.",
  ),
};

/** Node would take an empty address for every one of the machine. */
const address = {
  form: "<address>",
  read: reader((given) => (given.trim() === "" ? null : given), "It must not be empty."),
};

const port = {
  form: "<number>",
  read: reader(
    (given) => (/^[0-9]{1,5}$/.test(given) && Number(given) <= 65_535 ? Number(given) : null),
    "It must be a number from 0 to 65535.",
  ),
};

const connections = { form: "<number>", read: numberUpTo(9_999_999) };

/** A duration of at most a day, since Postgres takes no longer one. */
const dayAtMost = (example: string, mayBeNone = false) => ({
  form: "<duration>",
  read: reader((given) => {
    const ms = mayBeNone && given === "0s" ? 0 : durationMs(given);
    return ms === null || ms > 86_400_000 ? null : ms;
  }, `It must be a duration such as ${example} or 5m, a day at most.`),
});

const quota = { form: "<count/seconds>", read: quotaOf };
const timeQuota = { form: "<ms/seconds>", read: timeQuotaOf };

const publicUrl = optional(url, "where customers, phones and wallets reach this server, https");

/** The settings of wallets, for `serve` and `wallets check`. */
export const walletSettings = {
  publicUrl,
  appleCertificate: optional(file, "Apple's certificate of a pass type, in PEM"),
  appleKey: optional(file, "its private key, in PEM"),
  appleWwdr: optional(file, "Apple's intermediate certificate (WWDR G4), in PEM"),
  applePassphraseFile: optional(file, "holds the passphrase of the key"),
  appleOrganizationName: optional(
    text("<text>"),
    "whose passes these are; the name in the certificate unless given",
  ),
  applePushUrl: optional(url, "another push service than Apple's, for tests"),
  applePushCa: optional(file, "the certificate that it is trusted by, in PEM"),
  googleIssuer: optional(text("<id>"), "the number of an issuer of Google Wallet"),
  googleServiceAccount: optional(file, "the key of a service account that speaks for it, in JSON"),
  googleIssuerName: optional(text("<text>"), "whose cards these are; the title of a card unless given"),
  googleCallsPerSecond: optional(
    { form: "<n>", read: reader(rateOf, "It must be a number above 0.") },
    "how often this process calls Google; 20 unless given, which is for all processes together",
  ),
  googleApiUrl: optional(url, "another REST interface than Google's, for tests"),
  googleTokenUrl: optional(url, "where its access tokens come from, for tests"),
  googleKeysUrl: optional(url, "where the keys of its callbacks are, for tests"),
  walletsOperator: optional(
    text("<organization>"),
    "gets the events of certificates that expire; every organization with cards unless given",
  ),
};

/** The settings of mail, for `serve` and `mail check`, which take the public URL besides. */
const mailServerSettings = {
  // Not checked here: a refused value would be told whole, and it may hold a password.
  smtpUrl: optional(
    url,
    "the mail server, smtps://user@host, or smtp:// with STARTTLS; without it nothing is mailed",
  ),
  smtpPasswordFile: optional(file, "holds the password of the user, and wins over one in the URL"),
  mailFrom: optional(
    text("<address>"),
    'whom mails are from, such as "Café <cards@cafe.example>"; an organization may set another name',
  ),
  mailReplyTo: optional(
    text("<address>"),
    "where answers to mails go, unless an organization has an address of its own for them",
  ),
  mailBounceDomain: optional(
    text("<domain>"),
    "mails come back to bounce+<id of the delivery> at this domain; to the sender unless given",
  ),
  mailDkimKey: optional(file, "an RSA key in PEM that signs mails (DKIM)"),
  mailDkimSelector: optional(
    text("<name>"),
    "where its public half is: <name>._domainkey of the sender's domain",
  ),
  mailRate: usually(
    "10/1",
    { form: "<count/seconds>", read: mailRateOf },
    "how many mails this process sends, and in how many seconds",
  ),
};

/** The settings of `mail check`. */
export const mailCheckSettings = { publicUrl, ...mailServerSettings };

/** The settings of a server. Their durations are in milliseconds. */
export const serverSettings = {
  poolSize: usually("10", { form: "<number>", read: numberUpTo(9_999) }, "connections to Postgres at most"),
  statementTimeout: usually("10s", dayAtMost("10s"), "how long a statement may take on Postgres"),
  connectTimeout: usually("5s", dayAtMost("5s"), "how long a connection to Postgres is waited for"),
  wait: usually("60s", dayAtMost("60s", true), "how long to wait for a database that can't be reached yet"),
  replicaUrl: repeated(
    { form: "<url>", read: replicaOf },
    "a replica of the database that answers long reads; may be repeated",
  ),
  host: usually("127.0.0.1", address, "where to listen"),
  port: usually("3000", port, "0 for a free one"),
  shortLinkBase: optional(linkBase, "what QR values begin with; /c of the public URL unless given"),
  previousShortLinkBase: repeated(linkBase, "what QR values in use began with; may be repeated"),
  rateLimit: usually("1000/60", quota, "requests that a token may make, or off for no limits"),
  organizationRateLimit: optional(
    quota,
    "requests that all tokens of an organization may make, or off (default: ten times those of a token)",
  ),
  organizationTime: usually(
    "30000/60",
    timeQuota,
    "milliseconds of this process that an organization's calls may take while others make calls, or off",
  ),
  limits: optional(
    { form: "<list>", read: organizationLimitsOf },
    "how much an organization may have, such as tags=10000,apps=20: see docs/limits.md for all of them",
  ),
  retention: optional(
    { form: "<list>", read: retentionIn },
    "how long data is kept, such as eventDays=7,idempotencyHours=12: see docs/privacy.md for all of them",
  ),
  trustedProxy: optional(
    {
      form: "<list>",
      read: reader(proxiesOf, "Give addresses or networks such as 10.0.0.0/8, or loopback."),
    },
    "addresses and networks of proxies, separated by commas, whose X-Forwarded-For and X-Forwarded-Proto are believed; also loopback, linklocal, uniquelocal",
  ),
  requestTimeout: usually(
    "30s",
    { form: "<duration>", read: reader(durationMs, "It must be a duration such as 30s or 5m.") },
    "how long a request may take to arrive, such as 30s or 5m",
  ),
  maxConnections: usually("5000", connections, "how many connections there may be at once"),
  maxConnectionsPerAddress: usually(
    "500",
    connections,
    "how many of them one address, or /64 network of IPv6, may have; proxies of --trusted-proxy may have all",
  ),
  log: choice(
    "<format>",
    ["text", "json"],
    "json: each message and each request is a line of JSON on standard output",
  ),
  metricsPort: optional(port, "serve metrics for Prometheus at /metrics of this port too; 0 for a free one"),
  openTelemetry: flag(
    "trace calls, requests and deliveries, with the SDK that NODE_OPTIONS=--import has registered",
  ),
  oauthIssuer: optional(
    issuer,
    "serve OAuth 2.0 too: the URL by which clients reach this server, https or on localhost",
  ),
  passkeys: flag(
    "let people sign in at the console by passkeys, which are bound to the host of --public-url for good; needs @simplewebauthn/server",
  ),
  webhooks: flag("deliver no webhooks: another process does", true),
  webhooksAllowLoopback: flag("for development: let webhook endpoints be on this machine, also over http"),
  ...mailServerSettings,
  mail: flag("send no mails: another process does", true),
  ...walletSettings,
  appleBadge: optional(file, "Apple's badge for links on the card page, PNG or SVG"),
  googleBadge: optional(file, "Google's button for links on the card page, PNG or SVG"),
  demo: flag(
    "on an empty database: make an organization and a token to try; without --smtp-url, mails go to a mailbox in memory that the console shows",
  ),
};

/** The values of {@link serverSettings}. */
export type ServerSettings = ValuesOf<typeof serverSettings>;

/** The values of {@link walletSettings}. */
export type WalletSettings = ValuesOf<typeof walletSettings>;

/** The values of {@link mailCheckSettings}. */
export type MailSettings = ValuesOf<typeof mailCheckSettings>;

function rateOf(given: string): number | null {
  const calls = Number(given);
  return Number.isFinite(calls) && calls > 0 ? calls : null;
}

function replicaOf(text: string): string {
  if (shownUrl(text) === null) throw new CommandError("--replica-url must be a postgres:// URL", WRONG_USAGE);
  return text;
}

function quotaOf(text: string): RateQuota | false {
  if (text === "off") return false;
  const [, requests, seconds] = /^([0-9]+)\/([0-9]+)$/.exec(text) ?? [];
  const quota = { requests: Number(requests), seconds: Number(seconds) };
  try {
    assertQuota(quota);
  } catch {
    throw new InvalidArgumentError("It must be off, or a number and seconds such as 1000/60, a day at most.");
  }
  return quota;
}

function timeQuotaOf(text: string): TimeQuota | false {
  const quota = quotaOf(text);
  return quota && { milliseconds: quota.requests, seconds: quota.seconds };
}

function mailRateOf(text: string): RateQuota {
  const rate = quotaOf(text);
  if (rate === false) throw new InvalidArgumentError("Give mails and seconds such as 10/1.");
  return rate;
}

function organizationLimitsOf(text: string): OrganizationLimits {
  const limits = namedNumbers(text, Object.keys(limitsOf()).filter(isLimit), "tags=10000");
  try {
    limitsOf(limits);
  } catch {
    throw new InvalidArgumentError("Each must be a positive integer.");
  }
  return limits;
}

function retentionIn(text: string): RetentionOptions {
  const retention = namedNumbers(text, Object.keys(retentionBounds).filter(isRetention), "eventDays=7");
  try {
    retentionOf(retention);
  } catch (error) {
    throw new InvalidArgumentError(`${error instanceof Error ? error.message : error}.`);
  }
  return retention;
}

/** The proxies that are believed. `addressOf` is the last address in `X-Forwarded-For` that none of them has. */
function proxiesOf(text: string): {
  readonly addressOf: GetClientAddress;
  readonly isProxy: (address: string) => boolean;
} {
  const isTrusted = proxyAddr.compile(text.split(",").map((part) => part.trim()));
  // `proxy-addr` also takes 127.1 and 2130706433 for addresses, which nothing else here does.
  const isProxy = (address: string) => clientAddressOf(address) !== null && isTrusted(address, 0);
  return {
    addressOf(request) {
      // A connection that is closed by now has no address.
      if (request.socket.remoteAddress === undefined) return null;
      return proxyAddr(request, (address) => isProxy(addressWithoutPort(address))) || null;
    },
    isProxy,
  };
}
