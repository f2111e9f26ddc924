import { isLoyaltyError } from "../../../../src/base/errors.js";
import type { ErrorListener } from "../../../../src/kernel/events/event-emitter.js";
import type { WalletBackend } from "../../../../src/wallets/wallet-backend.js";
import type { HttpRequest, HttpResponse } from "../../../http/index.js";
import type { CallLimit } from "../call-limit.js";
import type { Endpoints } from "../endpoints.js";
import { errorBody, immutablePicture } from "../responses.js";
import { createSolidPng } from "../solid-png.js";
import { GoogleCallback } from "./callback.js";
import type { CardWriter } from "./card-writer.js";
import { GoogleLinks } from "./google-links.js";
import type { GoogleIdentity } from "./identity.js";

/** Minimum size of a logo that Google accepts, in pixels. */
const LOGO_SIDE = 660;

/** Serves the HTTP endpoints for Google Wallet: card links, Google's callbacks, and plain logos. */
export class GoogleWebService {
  private readonly callback: GoogleCallback;
  private readonly links: GoogleLinks;

  constructor(
    private readonly backend: WalletBackend,
    identity: GoogleIdentity,
    writer: Pick<CardWriter, "insert">,
    onError: ErrorListener,
    registrations: CallLimit,
  ) {
    this.links = new GoogleLinks(backend, identity, writer, onError);
    this.callback = new GoogleCallback(backend, identity, registrations);
  }

  readonly endpoints: Endpoints = {
    "/wallets/google/callback": (request) => this.callback.answer(request),
    "/wallets/google/passes/{passId}/{token}": (request, passId, token) => this.link(request, passId, token),
    "/wallets/google/logos/{file}": (_, file) => plainLogo(file),
  };

  /** Redirects to a pass's link. A HEAD request doesn't create the card at Google. */
  private async link({ method }: HttpRequest, passId: string, token: string): Promise<HttpResponse> {
    const issued = await this.backend.open(passId, "linkToken", token);
    if (issued === null || issued.card.revokedAt !== null || issued.qrCodeValue === null) {
      return errorBody("resource_not_found");
    }
    try {
      if (method === "HEAD") return leading(this.links.findCached(issued));
      const link = await this.links.getOrCreate(issued);
      return link === null ? busy() : leading(link);
    } catch (error) {
      if (isLoyaltyError(error, "storage_unavailable")) return busy();
      throw error;
    }
  }
}

/**
 * Redirects to a link.
 * @param link `null` if the link has not been created yet.
 */
function leading(link: string | null): HttpResponse {
  const headers = { "cache-control": "private, no-store", "referrer-policy": "no-referrer" };
  return { status: 302, headers: link === null ? headers : { ...headers, location: link }, body: null };
}

function plainLogo(file: string): HttpResponse {
  const [, color] = /^([0-9a-f]{6})\.png$/.exec(file) ?? [];
  return color === undefined
    ? errorBody("resource_not_found")
    : immutablePicture(createSolidPng(LOGO_SIDE, `#${color}`));
}

function busy(): HttpResponse {
  return errorBody("storage_unavailable", { "retry-after": "10" });
}
