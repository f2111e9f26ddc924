import { createHmac, type KeyObject } from "node:crypto";
import { isSameSecret } from "../../../src/base/secrets/token-format.js";
import type { Template } from "../../../src/index.js";
import type { HttpResponse } from "../../http/index.js";
import { pickCardLook } from "./card-look.js";
import type { CardState, Drawings } from "./drawing.js";
import type { Endpoints } from "./endpoints.js";
import type { FindPicture } from "./picture-cache.js";
import { pictureResponse, walletErrorResponse } from "./responses.js";

/** The drawing that a URL describes. */
interface HeroDrawing extends CardState {
  /** The template of the drawn card; absent from URLs that were created before this field existed. */
  readonly templateId?: string;
}

/** Length of a signature: 128 bits in base64url. */
const SIGNATURE_LENGTH = 22;

export interface HeroOptions {
  /** The URL prefix for the pictures, without a trailing slash. */
  readonly root: string;
  /**
   * The wallet's private key, which is the same in all processes. It signs picture URLs, and requests without a valid signature are
   * rejected.
   */
  readonly key: KeyObject;
  /** The renderer's version. Increasing it changes every URL, which makes wallets fetch the pictures again. */
  readonly version: number;
  readonly drawings: Drawings;
  readonly pictures: FindPicture;
  /**
   * Returns the ID of a template's organization, or `null` if the template no longer exists. The ID is used to queue drawings
   * fairly.
   */
  findOrganization(templateId: string): Promise<string | null>;
}

/**
 * Serves pictures of a card's stamps, which Google Wallet fetches by URL. Each URL contains everything needed to draw its picture,
 * so any process can draw it and the picture at a URL never changes. Cards with the same template and stamps share one picture.
 */
export class HeroPictures {
  private readonly secret: Buffer;

  constructor(private readonly options: HeroOptions) {
    this.secret = options.key.export({ type: "pkcs8", format: "der" });
  }

  /** Returns the URL of the picture that shows `filled` out of `total` stamps. */
  buildUrl({ id, design }: Pick<Template, "id" | "design">, filled: number, total: number): string {
    const card: HeroDrawing = { look: pickCardLook(design), filled, total, templateId: id };
    const encodedCard = Buffer.from(JSON.stringify(card)).toString("base64url");
    return `${this.options.root}/${this.signDrawing(encodedCard)}/${encodedCard}.png`;
  }

  readonly endpoints: Endpoints = {
    "/wallets/heroes/{signature}/{drawing}": (_, signature, drawing) => this.respond(signature, drawing),
  };

  private async respond(signature: string, file: string): Promise<HttpResponse> {
    const encodedCard = file.endsWith(".png") ? file.slice(0, -".png".length) : "";
    if (!isSameSecret(signature, this.signDrawing(encodedCard)))
      return walletErrorResponse("resource_not_found");
    const card: HeroDrawing = JSON.parse(Buffer.from(encodedCard, "base64url").toString());
    const { drawings, pictures, findOrganization } = this.options;
    const organizationId = await findOrganization(card.templateId ?? "");
    const picture = await drawings.hero(organizationId ?? "", card, pictures);
    if (picture === null) return walletErrorResponse("resource_not_found");
    return pictureResponse(picture, "image/png", signature);
  }

  private signDrawing(encodedCard: string): string {
    const hmac = createHmac("sha256", this.secret).update(`hero ${this.options.version} ${encodedCard}`);
    return hmac.digest("base64url").slice(0, SIGNATURE_LENGTH);
  }
}
