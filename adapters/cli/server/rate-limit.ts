import { InvalidArgumentError, Option } from "commander";
import type { RateQuota } from "../../http/index.js";
import { assertQuota } from "../../http/rate-limits/quota.js";

/** `--organization-rate-limit`, what all tokens of an organization may do together; `false` for no such limit. */
export function organizationRateLimitOption(): Option {
  return new Option(
    "--organization-rate-limit <count/seconds>",
    "requests that all tokens of an organization may make, or off (default: ten times those of a token)",
  )
    .env("LOYALTY_ORGANIZATION_RATE_LIMIT")
    .argParser(parseRateLimit);
}

/** `--rate-limit`, what each token may do; `false` for no limits. */
export function rateLimitOption(): Option {
  return new Option("--rate-limit <count/seconds>", "requests that a token may make, or off for no limits")
    .env("LOYALTY_RATE_LIMIT")
    .argParser(parseRateLimit)
    .default({ requests: 1_000, seconds: 60 }, "1000/60");
}

function parseRateLimit(text: string): RateQuota | false {
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
