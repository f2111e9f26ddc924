import type { SetupFinding } from "../../../setup/finding.js";
import { HeroPictures } from "../hero-pictures.js";
import { DRAWING_VERSION } from "../stamp-drawing/stamp-drawer.js";
import type { PlatformWallet, WalletContext } from "../wallet-platform.js";
import { ApiClient } from "./api-client.js";
import type { CardUrls } from "./card-content.js";
import { CardDelivery } from "./card-delivery.js";
import { CardUpdater } from "./card-updater.js";
import { CardWriter } from "./card-writer.js";
import type { GoogleIdentity } from "./identity.js";
import { checkIssuer } from "./issuer-check.js";
import { Reconciliation } from "./reconciliation.js";
import { GoogleWebService } from "./web-service.js";

export interface GoogleWallet extends PlatformWallet {
  readonly reconciliation: Reconciliation;
  /** Checks the setup by calling Google. Resolves to the problems found, if any. */
  check(): Promise<readonly SetupFinding[]>;
}

/**
 * Creates the Google Wallet platform, which writes cards to Google, serves card links and pictures, and handles Google's callbacks.
 * @param organizationOf a function that returns the ID of a template's organization, or `null` if the template no longer exists.
 */
export function googleWallet(
  { backend, messages, base, pictures, drawings, registrations, onError }: WalletContext,
  identity: GoogleIdentity,
  organizationOf: (templateId: string) => Promise<string | null>,
): GoogleWallet {
  const { key } = identity;
  const root = `${base}/heroes`;
  const heroes =
    drawings && new HeroPictures({ root, key, version: DRAWING_VERSION, drawings, pictures, organizationOf });
  const client = new ApiClient(identity, backend.clock);
  const urls: CardUrls = {
    callback: `${base}/google/callback`,
    picture: (hash) => `${base}/images/${hash}`,
    plainLogo: (color) => `${base}/google/logos/${color.slice(1).toLowerCase()}.png`,
    hero: (template, filled, total) => heroes?.buildUrl(template, filled, total) ?? null,
  };
  const writer = new CardWriter(client.call, identity, urls, backend.clock);
  const reconciliation = new Reconciliation(backend, writer, onError, identity.callsPerSecond);
  const announcer = new CardUpdater(writer, backend.notices, backend.clock);
  const close = () => client.close();
  const webService = new GoogleWebService(backend, identity, writer, onError, registrations);
  return {
    endpoints: { ...webService.endpoints, ...heroes?.endpoints },
    deliverer: new CardDelivery(backend, announcer, reconciliation, messages, onError, close),
    linkOf: (passId, linkToken) => `${base}/google/passes/${passId}/${linkToken}`,
    reconciliation,
    check: () => checkIssuer(client.call, identity.issuerId),
  };
}
