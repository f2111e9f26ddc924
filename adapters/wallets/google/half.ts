import type { ErrorListener } from "../../../src/index.js";
import type { WalletDesk } from "../../../src/wallets/wallet-desk.js";
import type { Deliverer } from "../deliverer.js";
import type { Finding } from "../finding.js";
import type { HeroPictures } from "../hero-pictures.js";
import type { RegistrationLimit } from "../registration-limit.js";
import { ApiClient } from "./api-client.js";
import { CardDelivery } from "./card-delivery.js";
import { CardWriter } from "./card-writer.js";
import { googleFindings } from "./doctor.js";
import type { GoogleIdentity } from "./identity.js";
import { Reconciliation } from "./reconciliation.js";
import { cardUrls, GoogleWebService } from "./web-service.js";

/** What Google's wallet needs of a service. */
export interface GoogleHalf {
  readonly webService: GoogleWebService;
  readonly deliverer: Deliverer;
  readonly reconciliation: Reconciliation;
  /** Asks Google what is wrong. */
  check(): Promise<readonly Finding[]>;
}

/** @param base the URL of `/wallets`. */
export function googleHalf(
  desk: WalletDesk,
  identity: GoogleIdentity,
  base: string,
  heroes: HeroPictures | null,
  registrations: RegistrationLimit,
  onError: ErrorListener,
): GoogleHalf {
  const client = new ApiClient(identity, desk.clock);
  const urls = cardUrls(base, heroes);
  const writer = new CardWriter(client.call, identity, urls, desk.clock);
  const reconciliation = new Reconciliation(desk, writer, onError);
  const close = () => client.close();
  return {
    webService: new GoogleWebService(desk, identity, writer, onError, registrations),
    deliverer: new CardDelivery(desk, writer, reconciliation, onError, close),
    reconciliation,
    check: () => googleFindings(client.call, identity.issuerId),
  };
}
