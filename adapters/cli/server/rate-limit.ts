import { InvalidArgumentError, Option } from "commander";
import type { RateQuota } from "../../http/index.js";
import { assertQuota } from "../../http/rate-limits/quota.js";

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
