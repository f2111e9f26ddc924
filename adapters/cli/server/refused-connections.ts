import type { CapListener, HttpRequest } from "../../http/index.js";
import { headerValue } from "../../http/request/headers.js";

/** Tells whoever runs a server that connections are closed because there are too many, and what to do about it. */
export function refusedConnections(tell: (line: string) => void, isProxyNamed: boolean): CapListener {
  return (network) => {
    if (network === null) {
      tell("connections are closed: as many are open as --max-connections allows");
      return;
    }
    const proxy = isProxyNamed ? "a proxy too" : "a proxy";
    tell(
      `connections of ${network} are closed: it has as many as --max-connections-per-address allows; ` +
        `if it is ${proxy}, name it with --trusted-proxy`,
    );
  };
}

const passedOn = ["x-forwarded-for", "forwarded"];

/** Tells once of the first request that says that it was passed on, where no proxy is named. */
export class UnnamedProxy {
  private isTold = false;

  constructor(private readonly tell: (line: string) => void) {}

  seen({ headers, address }: HttpRequest): void {
    if (this.isTold || passedOn.every((name) => headerValue(headers, name) === null)) return;
    this.isTold = true;
    this.tell(
      `loyalty-kit: a request from ${address ?? "an unknown address"} says that it was passed on for somebody else: if that is your proxy, ` +
        "name it with --trusted-proxy, or all its clients count as one",
    );
  }
}
