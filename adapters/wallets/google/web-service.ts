import { Semaphore } from "../../../src/concurrency/semaphore.js";
import type { ErrorListener } from "../../../src/index.js";
import type { WalletDesk } from "../../../src/wallets/wallet-desk.js";
import type { HttpRequest, HttpResponse } from "../../http/index.js";
import { refusal } from "../answers.js";
import type { HeroPictures } from "../hero-pictures.js";
import { plainPng } from "../plain-png.js";
import type { RegistrationLimit } from "../registration-limit.js";
import { Callback } from "./callback.js";
import { type CardUrls, objectIdOf } from "./card-content.js";
import type { CardWriter } from "./card-writer.js";
import type { GoogleIdentity } from "./identity.js";
import { saveLink } from "./save-link.js";

/** The least that Google takes for a logo, in pixels. */
const LOGO_SIDE = 660;

/** How many cards are put to Google at once for who follows a link, and how many wait for that. */
const LINKS_AT_ONCE = 5;
const LINKS_WAITING = 50;

const IMMUTABLE = "public, max-age=31536000, immutable";

/** What is at `/wallets/google` of the public URL: the links of cards, Google's callbacks, and plain logos. */
export class GoogleWebService {
  private readonly callback: Callback;
  private readonly slots = new Semaphore(LINKS_AT_ONCE);
  private links = 0;

  constructor(
    private readonly desk: WalletDesk,
    private readonly identity: GoogleIdentity,
    private readonly writer: Pick<CardWriter, "insert">,
    private readonly onError: ErrorListener,
    registrations: RegistrationLimit,
  ) {
    this.callback = new Callback(desk, identity, registrations);
  }

  /** @param parts the path below `/wallets/google`, decoded. */
  async answer(parts: readonly string[], request: HttpRequest): Promise<HttpResponse> {
    const [place, first = "", second = "", ...others] = parts;
    if (others.length > 0) return refusal("resource_not_found");
    if (place === "callback" && parts.length === 1) return this.callback.answer(request);
    if (request.method !== "GET" && request.method !== "HEAD") {
      return refusal("method_not_allowed", { allow: "GET, HEAD" });
    }
    if (place === "passes" && parts.length === 3) return this.link(first, second);
    if (place === "logos" && parts.length === 2) return plainLogo(first);
    return refusal("resource_not_found");
  }

  /** The link of a pass: Google gets the card when the first one wants it there, and a link that names it. */
  private async link(passId: string, token: string): Promise<HttpResponse> {
    if (this.links >= LINKS_AT_ONCE + LINKS_WAITING) return busy();
    this.links += 1;
    try {
      return await this.slots.run(() => this.saved(passId, token));
    } finally {
      this.links -= 1;
    }
  }

  private async saved(passId: string, token: string): Promise<HttpResponse> {
    const issued = await this.desk.open(passId, "linkToken", token);
    if (issued === null || issued.card.revokedAt !== null || issued.qrCodeValue === null) {
      return refusal("resource_not_found");
    }
    const { organizationId, card } = issued;
    if (card.atGoogleSince === null) {
      const { status, reason } = await this.writer.insert(issued);
      if (status !== 200) {
        this.onError(new Error(`Google's wallet takes no card: ${status} ${reason}`));
        return busy();
      }
      await this.desk.google.mark(organizationId, passId, card.revision);
    }
    const location = await saveLink(this.identity, objectIdOf(this.identity, passId), this.desk.clock());
    return {
      status: 302,
      headers: { location, "cache-control": "private, no-store", "referrer-policy": "no-referrer" },
      body: null,
    };
  }
}

/** What makes the URLs of Google's cards. @param base the URL of `/wallets`. */
export function cardUrls(base: string, heroes: HeroPictures | null): CardUrls {
  return {
    callback: `${base}/google/callback`,
    picture: (hash) => `${base}/images/${hash}`,
    plainLogo: (color) => `${base}/google/logos/${color.slice(1).toLowerCase()}.png`,
    hero: (template, filled, total) => heroes?.urlOf(template, filled, total) ?? null,
  };
}

function plainLogo(file: string): HttpResponse {
  const [, color] = /^([0-9a-f]{6})\.png$/.exec(file) ?? [];
  return color === undefined ? refusal("resource_not_found") : png(plainPng(LOGO_SIDE, `#${color}`));
}

function png(bytes: Uint8Array): HttpResponse {
  return {
    status: 200,
    headers: { "content-type": "image/png", "cache-control": IMMUTABLE, "x-content-type-options": "nosniff" },
    body: new Uint8Array(bytes),
  };
}

function busy(): HttpResponse {
  return refusal("storage_unavailable", { "retry-after": "10" });
}
