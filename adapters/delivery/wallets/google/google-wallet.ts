import { putAndEvict } from "../../../../src/base/bounded-map.js";
import { FairSemaphore } from "../../../../src/base/concurrency/fair-semaphore.js";
import { SingleFlight } from "../../../../src/base/concurrency/shared-calls.js";
import { isLoyaltyError, unavailable } from "../../../../src/base/errors.js";
import type { ErrorListener } from "../../../../src/kernel/events/event-emitter.js";
import type { IssuedCard } from "../../../../src/wallets/issued-card.js";
import type { WalletBackend } from "../../../../src/wallets/wallet-backend.js";
import type { HttpRequest, HttpResponse } from "../../../http/index.js";
import type { SetupFinding } from "../../../setup/finding.js";
import type { Endpoints } from "../endpoints.js";
import { HeroPictures } from "../hero-pictures.js";
import { toFields } from "../json.js";
import { pictureResponse, walletErrorResponse } from "../responses.js";
import { findings } from "../setup.js";
import { createSolidPng } from "../solid-png.js";
import { DRAWING_VERSION } from "../stamp-drawing/stamp-drawer.js";
import type { PlatformWallet, WalletContext } from "../wallet-platform.js";
import { ApiClient, type CallGoogle, describeResponse } from "./api-client.js";
import { GoogleCallback } from "./callback.js";
import { type CardUrls, formatObjectId } from "./card-content.js";
import { CardDelivery } from "./card-delivery.js";
import { CardUpdater } from "./card-updater.js";
import { CardWriter } from "./card-writer.js";
import { type GoogleIdentity, signAccountJwt } from "./identity.js";
import { Reconciliation } from "./reconciliation.js";

/** Maximum number of cards that followed links create at Google concurrently, and an organization's share of the free slots. */
const MAX_CONCURRENT_INSERTS = 5;

const ORGANIZATION_SHARE = 0.5;

/** Maximum number of an organization's cards that wait, and how long each waits, in milliseconds. */
const MAX_WAITING = 25;

const MAX_WAIT_MS = 10_000;

const MAX_LINKS = 1_000;

const MAX_LINK_AGE_MS = 3_600_000;

const SAVE_URL = "https://pay.google.com/gp/v/save/";

/** Maximum length of a link. Longer links may be truncated on their way. */
const MAX_LINK_LENGTH = 1_800;

interface CachedLink {
  readonly link: string;
  readonly createdAt: number;
}

/**
 * Creates the links that add cards to Google Wallet. A card is sent to Google the first time someone requests its link. Concurrent
 * requests for the same pass share a single call to Google.
 */
class GoogleLinks {
  private readonly slots = new FairSemaphore(MAX_CONCURRENT_INSERTS, ORGANIZATION_SHARE, {
    length: MAX_WAITING,
    patience: MAX_WAIT_MS,
    createError: () => unavailable("crowded"),
  });
  private readonly inserts = new SingleFlight<string | null>();
  private readonly links = new Map<string, CachedLink>();

  constructor(
    private readonly backend: Pick<WalletBackend, "clock" | "google">,
    private readonly identity: GoogleIdentity,
    private readonly writer: Pick<CardWriter, "insert">,
    private readonly onError: ErrorListener,
  ) {}

  /** Returns a card's link if it is cached and hasn't expired, or `null` otherwise. */
  findCached({ card }: IssuedCard): string | null {
    const link = this.links.get(card.passId);
    return link !== undefined && this.backend.clock() - link.createdAt < MAX_LINK_AGE_MS ? link.link : null;
  }

  /**
   * Returns a card's link, sending the card to Google first if necessary.
   * @returns the link, or `null` if Google rejects the card.
   * @throws {LoyaltyError} `storage_unavailable` if too many of the organization's cards are already waiting.
   */
  async getOrCreate(issuedCard: IssuedCard): Promise<string | null> {
    return (
      this.findCached(issuedCard) ??
      this.inserts.run(issuedCard.card.passId, () => this.insertCard(issuedCard))
    );
  }

  private async insertCard(issuedCard: IssuedCard): Promise<string | null> {
    const { organizationId, card } = issuedCard;
    const { passId, revision, atGoogleSince } = card;
    if (atGoogleSince === null) {
      const response = await this.slots.run(organizationId, () => this.writer.insert(issuedCard));
      if (response.status !== 200) {
        this.onError(new Error(`Google Wallet didn't accept the card: ${describeResponse(response)}`));
        return null;
      }
      await this.backend.google.recordAtGoogle(organizationId, passId, revision);
    }
    const createdAt = this.backend.clock();
    const link = await buildSaveLink(this.identity, formatObjectId(this.identity, passId), createdAt);
    putAndEvict(this.links, passId, { link, createdAt }, MAX_LINKS);
    return link;
  }
}

/** Builds the link that adds an existing object to a wallet. The link contains only the object's ID. */
async function buildSaveLink(identity: GoogleIdentity, objectId: string, now: number): Promise<string> {
  const claims = { typ: "savetowallet", payload: { loyaltyObjects: [{ id: objectId }] } };
  const link = `${SAVE_URL}${await signAccountJwt(identity, "google", claims, now)}`;
  if (link.length > MAX_LINK_LENGTH)
    throw new RangeError("the key of Google's service account is too long for a link");
  return link;
}

/** Minimum size of a logo that Google accepts, in pixels. */
const LOGO_SIZE = 660;

export interface GoogleWallet extends PlatformWallet {
  readonly reconciliation: Reconciliation;
  /** Checks the setup by calling the Google Wallet API. Resolves to the problems found, if any. */
  check(): Promise<readonly SetupFinding[]>;
}

/**
 * Creates the Google Wallet platform, which writes cards to Google, serves card links and pictures, and handles Google's callbacks.
 * @param findOrganization a function that resolves to the ID of a template's organization, or to `null` if the template no longer
 *   exists.
 */
export function createGoogleWallet(
  context: WalletContext,
  identity: GoogleIdentity,
  findOrganization: (templateId: string) => Promise<string | null>,
): GoogleWallet {
  const { backend, messages, base, pictures, drawings, onError } = context;
  const { key } = identity;
  const root = `${base}/heroes`;
  const heroes =
    drawings &&
    new HeroPictures({ root, key, version: DRAWING_VERSION, drawings, pictures, findOrganization });
  const client = new ApiClient(identity, backend.clock);
  const urls: CardUrls = {
    callback: `${base}/google/callback`,
    picture: (hash) => `${base}/images/${hash}`,
    plainLogo: (color) => `${base}/google/logos/${color.slice(1).toLowerCase()}.png`,
    hero: (template, filled, total) => heroes?.buildUrl(template, filled, total) ?? null,
  };
  const writer = new CardWriter(client.call, identity, urls, backend.clock);
  const reconciliation = new Reconciliation(backend, writer, onError, identity.callsPerSecond);
  const updater = new CardUpdater(writer, backend.notices, backend.clock);
  const close = () => client.close();
  const webService = new GoogleWebService(context, identity, writer);
  return {
    endpoints: { ...webService.endpoints, ...heroes?.endpoints },
    deliverer: new CardDelivery(backend, updater, reconciliation, messages, onError, close),
    buildLink: (passId, linkToken) => `${base}/google/passes/${passId}/${linkToken}`,
    reconciliation,
    check: () => checkIssuer(client.call, identity.issuerId),
  };
}

/** Serves the HTTP endpoints for Google Wallet: card links, Google's callbacks, and plain logos. */
class GoogleWebService {
  private readonly backend: WalletBackend;
  private readonly callback: GoogleCallback;
  private readonly links: GoogleLinks;

  constructor(
    { backend, onError, registrations }: Pick<WalletContext, "backend" | "onError" | "registrations">,
    identity: GoogleIdentity,
    writer: Pick<CardWriter, "insert">,
  ) {
    this.backend = backend;
    this.links = new GoogleLinks(backend, identity, writer, onError);
    this.callback = new GoogleCallback(backend, identity, registrations);
  }

  readonly endpoints: Endpoints = {
    "/wallets/google/callback": (request) => this.callback.handle(request),
    "/wallets/google/passes/{passId}/{token}": (request, passId, token) =>
      this.respondWithLink(request, passId, token),
    "/wallets/google/logos/{file}": (_, file) => respondWithPlainLogo(file),
  };

  /** Redirects to a pass's link. A HEAD request doesn't create the card at Google. */
  private async respondWithLink(
    { method }: HttpRequest,
    passId: string,
    token: string,
  ): Promise<HttpResponse> {
    const issuedCard = await this.backend.open(passId, "linkToken", token);
    if (issuedCard === null || issuedCard.card.revokedAt !== null || issuedCard.qrCodeValue === null) {
      return walletErrorResponse("resource_not_found");
    }
    try {
      if (method === "HEAD") return redirectResponse(this.links.findCached(issuedCard));
      const link = await this.links.getOrCreate(issuedCard);
      return link === null ? busyResponse() : redirectResponse(link);
    } catch (error) {
      if (isLoyaltyError(error, "storage_unavailable")) return busyResponse();
      throw error;
    }
  }
}

/**
 * Redirects to a link.
 * @param link `null` if the link has not been created yet.
 */
function redirectResponse(link: string | null): HttpResponse {
  const headers = { "cache-control": "private, no-store", "referrer-policy": "no-referrer" };
  return { status: 302, headers: link === null ? headers : { ...headers, location: link }, body: null };
}

function respondWithPlainLogo(file: string): HttpResponse {
  const [, color] = /^([0-9a-f]{6})\.png$/.exec(file) ?? [];
  return color === undefined
    ? walletErrorResponse("resource_not_found")
    : pictureResponse(createSolidPng(LOGO_SIZE, `#${color}`));
}

function busyResponse(): HttpResponse {
  return walletErrorResponse("storage_unavailable", { "retry-after": "10" });
}

/**
 * Checks with Google that the service account can access the issuer and that none of the issuer's classes have been rejected.
 * @returns the problems found, if any.
 */
export async function checkIssuer(call: CallGoogle, issuerId: string): Promise<SetupFinding[]> {
  const response = await call("GET", `/loyaltyClass?issuerId=${issuerId}&maxResults=100`);
  const { status, reason, body } = response;
  switch (status) {
    case 200:
      return (Array.isArray(body.resources) ? body.resources : []).flatMap(findRejection);
    case 401:
      return [findings.accountRefused(reason)];
    case 403:
    case 404:
      return [findings.issuerRefused(issuerId, reason)];
    case 0:
      return [findings.unreachable(`${reason}; check this machine's network connection and firewall`)];
    default:
      return [findings.unreachable(`it responded with ${describeResponse(response)}; try again later`)];
  }
}

function findRejection(loyaltyClass: unknown): SetupFinding[] {
  const { id, reviewStatus } = toFields(loyaltyClass);
  // Google has used both upper and lower case.
  return typeof id === "string" && /^rejected$/i.test(String(reviewStatus))
    ? [findings.classRejected(id)]
    : [];
}
