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
  return connections("--max-connections", "how many connections there may be at once", 5_000);
}

/** `--max-connections-per-address`, but for proxies that are named. */
export function maxConnectionsPerAddressOption(): Option {
  return connections(
    "--max-connections-per-address",
    "how many of them one address, or /64 network of IPv6, may have; proxies of --trusted-proxy may have all",
    500,
  );
}

function connections(flag: string, what: string, usual: number): Option {
  return new Option(`${flag} <number>`, what)
    .env(`LOYALTY_${flag.slice(2).replaceAll("-", "_").toUpperCase()}`)
    .argParser((text) => {
      if (/^[1-9][0-9]{0,6}$/.test(text)) return Number(text);
      throw new InvalidArgumentError("It must be a number from 1 to 9999999.");
    })
    .default(usual);
}
