import { InvalidArgumentError } from "commander";
import proxyAddr from "proxy-addr";
import { keepMsOf, type OutboxOptions } from "../../../src/events/outbox.js";
import { isLimit, limitsOf, type OrganizationLimits } from "../../../src/tenant/limits.js";
import { type RetentionOptions, retentionOf } from "../../../src/tenant/retention.js";
import { canBeBase } from "../../../src/values/short-link.js";
import { urlOf } from "../../../src/values/url.js";
import type { AddressOf, RateQuota } from "../../http/index.js";
import { assertQuota } from "../../http/rate-limits/quota.js";
import { checkedIssuer } from "../../oauth/metadata.js";
import { shownUrl } from "../database/postgres-database.js";
import { CommandError, WRONG_USAGE } from "../terminal/command-error.js";
import { choice, flag, optional, repeated, usually, type ValuesOf } from "../terminal/setting.js";
import { durationMs, namedNumbers, numberUpTo, reader } from "../terminal/values.js";

const linkBaseOf = reader(
  (text) => (/^https?:$/.test(urlOf(text)?.protocol ?? "") && canBeBase(text) ? text : null),
  "It must be an http or https URL without a query and a fragment.",
);

const portOf = reader(
  (text) => (/^[0-9]{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : null),
  "It must be a number from 0 to 65535.",
);

/** A duration of at most a day: Postgres takes no more. */
const dayAtMost = (example: string, mayBeNone = false) =>
  reader((text) => {
    const ms = mayBeNone && text === "0s" ? 0 : durationMs(text);
    return ms === null || ms > 86_400_000 ? null : ms;
  }, `It must be a duration such as ${example} or 5m, a day at most.`);

/** What configures the wallets, of a server and of `wallets check`. */
export const walletSettings = {
  publicUrl: optional("<url>", "where phones and wallets reach this server, https"),
  appleCertificate: optional("<file>", "Apple's certificate of a pass type, in PEM"),
  appleKey: optional("<file>", "its private key, in PEM"),
  appleWwdr: optional("<file>", "Apple's intermediate certificate (WWDR G4), in PEM"),
  applePassphraseFile: optional("<file>", "holds the passphrase of the key"),
  appleOrganizationName: optional(
    "<text>",
    "whose passes these are; the name in the certificate unless given",
  ),
  applePushUrl: optional("<url>", "another push service than Apple's, for tests"),
  applePushCa: optional("<file>", "the certificate that it is trusted by, in PEM"),
  googleIssuer: optional("<id>", "the number of an issuer of Google Wallet"),
  googleServiceAccount: optional("<file>", "the key of a service account that speaks for it, in JSON"),
  googleIssuerName: optional("<text>", "whose cards these are; the title of a card unless given"),
  googleCallsPerSecond: optional(
    "<n>",
    "how often this process calls Google; 20 unless given, which is for all processes together",
    reader((text) => {
      const calls = Number(text);
      return Number.isFinite(calls) && calls > 0 ? calls : null;
    }, "It must be a number above 0."),
  ),
  googleApiUrl: optional("<url>", "another REST interface than Google's, for tests"),
  googleTokenUrl: optional("<url>", "where its access tokens are had, for tests"),
  googleKeysUrl: optional("<url>", "where the keys of its callbacks are, for tests"),
  walletsOperator: optional(
    "<organization>",
    "gets the events of certificates that expire; every organization with cards unless given",
  ),
};

/** What configures a server. Durations are in milliseconds. */
export const serverSettings = {
  poolSize: usually("<number>", "10", "connections to Postgres at most", numberUpTo(9_999)),
  statementTimeout: usually(
    "<duration>",
    "10s",
    "how long a statement may take on Postgres",
    dayAtMost("10s"),
  ),
  connectTimeout: usually(
    "<duration>",
    "5s",
    "how long a connection to Postgres is waited for",
    dayAtMost("5s"),
  ),
  wait: usually(
    "<duration>",
    "60s",
    "how long to wait for a database that can't be reached yet",
    dayAtMost("60s", true),
  ),
  replicaUrl: repeated(
    "<url>",
    "a replica of it that answers reads which take long; may be given for each",
    replicaOf,
  ),
  // Node would take an empty one for every address of the machine.
  host: usually(
    "<address>",
    "127.0.0.1",
    "where to listen",
    reader((text) => (text.trim() === "" ? null : text), "It must not be empty."),
  ),
  port: usually("<number>", "3000", "0 for a free one", portOf),
  shortLinkBase: optional(
    "<url>",
    "what QR values begin with; /c of the public URL unless given",
    linkBaseOf,
  ),
  formerShortLinkBase: repeated(
    "<url>",
    "what QR values in use began with; may be given for each",
    linkBaseOf,
  ),
  rateLimit: usually(
    "<count/seconds>",
    "1000/60",
    "requests that a token may make, or off for no limits",
    quotaOf,
  ),
  organizationRateLimit: optional(
    "<count/seconds>",
    "requests that all tokens of an organization may make, or off (default: ten times those of a token)",
    quotaOf,
  ),
  limits: optional(
    "<list>",
    "how much an organization may have, such as tags=10000,apps=20: see docs/limits.md for all of them",
    organizationLimitsOf,
  ),
  keep: optional(
    "<list>",
    "how long what is kept, such as eventDays=7,answerHours=12: see docs/privacy.md for all of them",
    keptOf,
  ),
  trustedProxy: optional(
    "<list>",
    "addresses and networks of proxies, separated by commas, whose X-Forwarded-For is believed; also loopback, linklocal, uniquelocal",
    reader(proxiesOf, "Give addresses or networks such as 10.0.0.0/8, or loopback."),
  ),
  requestTimeout: usually(
    "<duration>",
    "30s",
    "how long a request may take to come, such as 30s or 5m",
    reader(durationMs, "It must be a duration such as 30s or 5m."),
  ),
  maxConnections: usually(
    "<number>",
    "5000",
    "how many connections there may be at once",
    numberUpTo(9_999_999),
  ),
  maxConnectionsPerAddress: usually(
    "<number>",
    "500",
    "how many of them one address, or /64 network of IPv6, may have; proxies of --trusted-proxy may have all",
    numberUpTo(9_999_999),
  ),
  log: choice(
    "<format>",
    ["text", "json"],
    "json: a line of JSON on standard output for all there is to tell, each request too",
  ),
  metricsPort: optional(
    "<number>",
    "serve metrics for Prometheus at /metrics of this port too; 0 for a free one",
    portOf,
  ),
  openTelemetry: flag(
    "trace calls, requests and deliveries, with the SDK that NODE_OPTIONS=--import has registered",
  ),
  oauthIssuer: optional(
    "<url>",
    "serve OAuth 2.0 too: the URL by which clients reach this server, https or on localhost",
    reader(
      checkedIssuer,
      "It must be an https URL, or an http URL of localhost, without query, fragment and slash at its end.",
    ),
  ),
  webhooks: flag("deliver no webhooks: another process does", true),
  webhooksAllowLoopback: flag("for development: let webhook endpoints be on this machine, also over http"),
  ...walletSettings,
  appleBadge: optional("<file>", "Apple's badge for links on the card page, PNG or SVG"),
  googleBadge: optional("<file>", "Google's button for links on the card page, PNG or SVG"),
  demo: flag("on an empty database: make an organization and a token to try"),
};

/** The values of {@link serverSettings}. */
export type ServerSettings = ValuesOf<typeof serverSettings>;

/** The values of {@link walletSettings}. */
export type WalletSettings = ValuesOf<typeof walletSettings>;

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
    throw new InvalidArgumentError("It must be off, or requests and seconds such as 1000/60, a day at most.");
  }
  return quota;
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

function keptOf(text: string): { readonly outbox: OutboxOptions; readonly retention: RetentionOptions } {
  const names = ["eventDays", "events", "deliveryDays", "answerHours"] as const;
  const { eventDays, events, ...retention } = namedNumbers(text, names, "eventDays=7");
  const outbox = {
    ...(eventDays !== undefined && { keepDays: eventDays }),
    ...(events !== undefined && { keepEvents: events }),
  };
  try {
    retentionOf(retention, keepMsOf(outbox));
  } catch (error) {
    throw new InvalidArgumentError(`${error instanceof Error ? error.message : error}.`);
  }
  return { outbox, retention };
}

/** The proxies that are believed. `addressOf` is the last address in `X-Forwarded-For` that none of them has. */
function proxiesOf(text: string): {
  readonly addressOf: AddressOf;
  readonly isProxy: (address: string) => boolean;
} {
  const trust = proxyAddr.compile(text.split(",").map((part) => part.trim()));
  return {
    addressOf: (request) => proxyAddr(request, trust) || null,
    isProxy: (address) => address !== "" && trust(address, 0),
  };
}
