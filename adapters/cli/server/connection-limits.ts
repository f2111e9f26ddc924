import { InvalidArgumentError, Option } from "commander";
import { durationMs } from "../terminal/duration.js";

/** `--request-timeout`, in milliseconds once parsed. */
export function requestTimeoutOption(): Option {
  return new Option("--request-timeout <duration>", "how long a request may take to come, such as 30s or 5m")
    .env("LOYALTY_REQUEST_TIMEOUT")
    .argParser((text) => {
      const ms = durationMs(text);
      if (ms === null) throw new InvalidArgumentError("It must be a duration such as 30s or 5m.");
      return ms;
    })
    .default(30_000, "30s");
}

/** `--max-connections`, of all clients together. */
export function maxConnectionsOption(): Option {
  return new Option("--max-connections <number>", "how many connections there may be at once")
    .env("LOYALTY_MAX_CONNECTIONS")
    .argParser((text) => {
      if (/^[1-9][0-9]{0,6}$/.test(text)) return Number(text);
      throw new InvalidArgumentError("It must be a number from 1 to 9999999.");
    })
    .default(5_000);
}
