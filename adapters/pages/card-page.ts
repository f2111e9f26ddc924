import type { WalletPassDetail } from "../../src/resources/pass.js";
import type { StampCard } from "../../src/resources/stamps.js";
import { html } from "../http/html.js";
import type { HttpResponse } from "../http/index.js";
import type { BadgeUrls } from "./badges.js";
import { counted, filled, type Spoken } from "./languages/languages.js";
import { pageAnswer } from "./page.js";
import { qrCode } from "./qr-code.js";

/** Where a card can be added to a wallet. */
export interface WalletLink {
  readonly wallet: "apple" | "google";
  readonly url: string;
}

export interface ShownCard {
  readonly pass: WalletPassDetail;
  /** `null` for a card without stamps. */
  readonly state: StampCard | null;
  readonly walletLinks: readonly WalletLink[];
  /** Shown as the links of those wallets. */
  readonly badges: BadgeUrls;
}

/**
 * The card as whoever has its code may see it: what it is called, its stamps and rewards, and the code. Nothing of whose
 * it is, nothing of when it was used.
 */
export function cardPage(spoken: Spoken, { pass, state, walletLinks, badges }: ShownCard): HttpResponse {
  const { texts } = spoken;
  const { name } = pass.template;
  const code = pass.qrCodeValue.slice(pass.qrCodeValue.lastIndexOf("/") + 1);
  const stamps = state === null ? html`<p>${texts.isMember}</p>` : stampsOf(spoken, state);
  const wallets = html`<ul class="wallets">
${walletLinks.map(({ wallet, url }) => {
  const badge = badges[wallet];
  return badge === undefined
    ? html`<li><a href="${url}">${texts.addTo[wallet]}</a></li>\n`
    : html`<li><a class="badge" href="${url}"><img src="${badge}" alt="${texts.addTo[wallet]}"></a></li>\n`;
})}</ul>`;
  return pageAnswer(spoken, {
    title: name,
    isLive: true,
    content: html`<section class="card">
<h1><bdi>${name}</bdi></h1>
${stamps}
</section>
<section class="code">
${qrCode(pass.qrCodeValue, texts.qrCode)}
<code>${code}</code>
<p class="quiet">${texts.showAtTill}</p>
</section>
${walletLinks.length > 0 ? [wallets] : []}`,
  });
}

function stampsOf(spoken: Spoken, { currentStamps, maxStamps, rewardsAvailable }: StampCard) {
  const { progress, toGo, rewards } = spoken.texts;
  const places = Array.from({ length: maxStamps }, (_, at) =>
    at < currentStamps ? html`<li class="is"></li>` : html`<li></li>`,
  );
  const said = filled(progress, { stamps: String(currentStamps), most: String(maxStamps) });
  return html`<ul class="stamps${maxStamps > 20 ? " many" : ""}" aria-hidden="true">${places}</ul>
<p><strong>${said}</strong><br>${counted(spoken, toGo, maxStamps - currentStamps)}</p>
${rewardsAvailable > 0 ? [html`<p class="reward">${counted(spoken, rewards, rewardsAvailable)}</p>`] : []}`;
}
