import type { PlatformWallet, WalletContext } from "../wallet-platform.js";
import type { AppleIdentity, AppleOptions } from "./identity.js";
import { PassCache } from "./pass-cache.js";
import { PushClient } from "./push-client.js";
import { PushDelivery } from "./push-delivery.js";
import { AppleWebService, type LogDeviceLine } from "./web-service.js";

/** Creates the Apple Wallet platform, which signs passes, serves them to phones, and pushes changes. */
export function createAppleWallet(
  { backend, messages, base, pictures, drawings, registrations, onError }: WalletContext,
  options: AppleOptions,
  identity: AppleIdentity,
  onDeviceLog: LogDeviceLine,
): PlatformWallet {
  const passOptions = { identity, webServiceUrl: `${base}/apple`, pictures, drawings };
  const passes = new PassCache(passOptions, backend.clock);
  const client = new PushClient(options, identity.passTypeId);
  const push = options.push ?? ((token: string) => client.push(token));
  const close = () => client.close();
  return {
    endpoints: new AppleWebService(backend, messages, passes, registrations, onDeviceLog).endpoints,
    deliverer: new PushDelivery(backend, push, onError, close),
    linkOf: (passId, linkToken) => `${base}/apple/passes/${passId}/${linkToken}.pkpass`,
  };
}
