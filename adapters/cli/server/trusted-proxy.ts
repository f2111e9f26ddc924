import { InvalidArgumentError, Option } from "commander";
import proxyAddr from "proxy-addr";
import type { AddressOf } from "../../http/index.js";

/** `--trusted-proxy`: who may say by `X-Forwarded-For` whose a request is. */
export function trustedProxyOption(): Option {
  return new Option(
    "--trusted-proxy <list>",
    "addresses and networks of proxies, separated by commas, whose X-Forwarded-For is believed; also loopback, linklocal, uniquelocal",
  )
    .env("LOYALTY_TRUSTED_PROXY")
    .argParser(parseProxies);
}

/** The last address in `X-Forwarded-For` that no trusted proxy has, as far as trusted proxies have passed it on. */
function parseProxies(text: string): AddressOf {
  try {
    const trust = proxyAddr.compile(text.split(",").map((part) => part.trim()));
    return (request) => proxyAddr(request, trust) || null;
  } catch {
    throw new InvalidArgumentError("Give addresses or networks such as 10.0.0.0/8, or loopback.");
  }
}
