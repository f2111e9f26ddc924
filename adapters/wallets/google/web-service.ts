import { createHmac } from "node:crypto";
import { Slots } from "../../../src/concurrency/slots.js";
import type { ErrorListener, Template } from "../../../src/index.js";
import { isSameSecret } from "../../../src/secrets/same-secret.js";
import type { WalletDesk } from "../../../src/wallets/wallet-desk.js";
import type { HttpRequest, HttpResponse } from "../../http/index.js";
import { refusal } from "../answers.js";
import type { Drawer, Pictures } from "../drawing.js";
import { plainPng } from "../plain-png.js";
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

/** How a card is drawn for Google. */
export interface HeroDrawing {
  readonly pictures: Pictures;
  readonly drawer: Drawer | null;
}

/** What is at `/wallets/google` of the public URL: the links of cards, Google's callbacks, and pictures that it fetches. */
export class GoogleWebService {
  private readonly callback: Callback;
  private readonly slots = new Slots(LINKS_AT_ONCE);
  private links = 0;

  constructor(
    private readonly desk: WalletDesk,
    private readonly identity: GoogleIdentity,
    private readonly writer: Pick<CardWriter, "insert">,
    private readonly drawing: HeroDrawing,
    private readonly onError: ErrorListener,
  ) {
    this.callback = new Callback(desk, identity);
  }

  /** @param parts the path below `/wallets/google`, decoded. */
  async answer(parts: readonly string[], request: HttpRequest): Promise<HttpResponse> {
    const [place, first = "", second = "", third = "", ...others] = parts;
    if (others.length > 0) return refusal("resource_not_found");
    if (place === "callback" && parts.length === 1) return this.callback.answer(request);
    if (request.method !== "GET" && request.method !== "HEAD") {
      return refusal("method_not_allowed", { allow: "GET, HEAD" });
    }
    if (place === "passes" && parts.length === 3) return this.link(first, second);
    if (place === "logos" && parts.length === 2) return plainLogo(first);
    if (place === "heroes" && parts.length === 4) return this.hero(first, second, third);
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
      await this.desk.markAtGoogle(organizationId, passId, card.revision);
    }
    const location = await saveLink(this.identity, objectIdOf(this.identity, passId), this.desk.clock());
    return {
      status: 302,
      headers: { location, "cache-control": "private, no-store", "referrer-policy": "no-referrer" },
      body: null,
    };
  }

  private async hero(templateId: string, state: string, file: string): Promise<HttpResponse> {
    const [, filled, total] = /^(\d{1,4})-(\d{1,4})$/.exec(state) ?? [];
    const { drawer, pictures } = this.drawing;
    if (filled === undefined || drawer?.hero === undefined) return refusal("resource_not_found");
    const template = await this.desk.template(templateId);
    const shown = { filled: Number(filled), total: Number(total) };
    if (template === null || !isSameSecret(file, `${heroMark(this.identity, template, shown)}.png`)) {
      return refusal("resource_not_found");
    }
    return png(await drawer.hero({ design: template.design, ...shown }, pictures));
  }
}

/** What makes the URLs of Google's cards. @param base the URL of `/wallets`. */
export function cardUrls(
  base: string,
  identity: Pick<GoogleIdentity, "key">,
  drawer: Drawer | null,
): CardUrls {
  return {
    callback: `${base}/google/callback`,
    picture: (hash) => `${base}/images/${hash}`,
    plainLogo: (color) => `${base}/google/logos/${color.slice(1).toLowerCase()}.png`,
    hero(template, filled, total) {
      if (drawer?.hero === undefined) return null;
      const mark = heroMark(identity, template, { filled, total });
      return `${base}/google/heroes/${template.id}/${filled}-${total}/${mark}.png`;
    },
  };
}

/** Names a picture after all that it shows, so that another state is another URL, and nobody can ask for any state. */
function heroMark(
  { key }: Pick<GoogleIdentity, "key">,
  { id, design }: Pick<Template, "id" | "design">,
  { filled, total }: { readonly filled: number; readonly total: number },
): string {
  const secret = key.export({ type: "pkcs8", format: "der" });
  const shown = JSON.stringify([id, filled, total, design]);
  return createHmac("sha256", secret).update(shown).digest("base64url").slice(0, 32);
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
