import { serviceInternals } from "../../src/internals.js";
import type { LoyaltyService } from "../../src/loyalty-service.js";
import type { HttpRequest, HttpResponse } from "../http/index.js";
import { createPictureCache, type FindPicture } from "../wallets/picture-cache.js";
import { immutablePicture } from "../wallets/responses.js";
import type { Locale } from "./languages/languages.js";
import { notFoundPage } from "./page.js";

/** Serves the pictures in card designs to browsers. */
export class PictureHandler {
  private readonly pictures: FindPicture;

  constructor(loyalty: LoyaltyService) {
    this.pictures = createPictureCache((hash) => serviceInternals(loyalty).picture(hash));
  }

  async picture(locale: Locale, hash: string, { method }: HttpRequest): Promise<HttpResponse> {
    const picture = /^[0-9a-f]{64}$/.test(hash) ? await this.pictures(hash) : null;
    if (picture === null) return notFoundPage(locale);
    const answer = immutablePicture(picture.bytes, picture.type);
    return method === "HEAD" ? { ...answer, body: null } : answer;
  }
}
