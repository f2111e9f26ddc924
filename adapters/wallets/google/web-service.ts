import { type ErrorListener, isLoyaltyError } from "../../../src/index.js";
import type { WalletDesk } from "../../../src/wallets/wallet-desk.js";
import type { HttpRequest, HttpResponse } from "../../http/index.js";
import { refusal } from "../answers.js";
import type { HeroPictures } from "../hero-pictures.js";
import { plainPng } from "../plain-png.js";
import type { RegistrationLimit } from "../registration-limit.js";
import { Callback } from "./callback.js";
import type { CardUrls } from "./card-content.js";
import type { CardWriter } from "./card-writer.js";
import { FollowedLinks } from "./followed-links.js";
import type { GoogleIdentity } from "./identity.js";

/** The least that Google takes for a logo, in pixels. */
const LOGO_SIDE = 660;

const IMMUTABLE = "public, max-age=31536000, immutable";

/** What is at `/wallets/google` of the public URL: the links of cards, Google's callbacks, and plain logos. */
export class GoogleWebService {
  private readonly callback: Callback;
  private readonly links: FollowedLinks;

  constructor(
    private readonly desk: WalletDesk,
    identity: GoogleIdentity,
    writer: Pick<CardWriter, "insert">,
    onError: ErrorListener,
    registrations: RegistrationLimit,
  ) {
    this.links = new FollowedLinks(desk, identity, writer, onError);
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
    if (place === "passes" && parts.length === 3) return this.link(first, second, request);
    if (place === "logos" && parts.length === 2) return plainLogo(first);
    return refusal("resource_not_found");
  }

  /** The link of a pass. Who only asks whether it is there has nothing put to Google. */
  private async link(passId: string, token: string, { method }: HttpRequest): Promise<HttpResponse> {
    const issued = await this.desk.open(passId, "linkToken", token);
    if (issued === null || issued.card.revokedAt !== null || issued.qrCodeValue === null) {
      return refusal("resource_not_found");
    }
    try {
      if (method === "HEAD") return leading(this.links.knownOf(issued));
      const link = await this.links.of(issued);
      return link === null ? busy() : leading(link);
    } catch (error) {
      if (isLoyaltyError(error, "storage_unavailable")) return busy();
      throw error;
    }
  }
}

/** @param link `null` where it is not made yet. */
function leading(link: string | null): HttpResponse {
  const headers = { "cache-control": "private, no-store", "referrer-policy": "no-referrer" };
  return { status: 302, headers: link === null ? headers : { ...headers, location: link }, body: null };
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
