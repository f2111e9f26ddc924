import { InvalidArgumentError, Option } from "commander";
import proxyAddr from "proxy-addr";
import type { AddressOf } from "../../http/index.js";

/** The proxies that are believed. */
export interface TrustedProxies {
  /** The last address in `X-Forwarded-For` that none of them has, as far as they have passed it on. */
  readonly addressOf: AddressOf;
  readonly isProxy: (address: string) => boolean;
}

/** `--trusted-proxy`: who may say by `X-Forwarded-For` whose a request is. */
export function trustedProxyOption(): Option {
  return new Option(
    "--trusted-proxy <list>",
    "addresses and networks of proxies, separated by commas, whose X-Forwarded-For is believed; also loopback, linklocal, uniquelocal",
  )
    .env("LOYALTY_TRUSTED_PROXY")
    .argParser(parseProxies);
}

function parseProxies(text: string): TrustedProxies {
  try {
    const trust = proxyAddr.compile(text.split(",").map((part) => part.trim()));
    return {
      addressOf: (request) => proxyAddr(request, trust) || null,
      isProxy: (address) => address !== "" && trust(address, 0),
    };
  } catch {
    throw new InvalidArgumentError("Give addresses or networks such as 10.0.0.0/8, or loopback.");
  }
}
