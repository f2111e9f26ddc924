import type { SignInLinkHolder } from "../../../../src/people/sign-ins.js";
import { type Html, html } from "../../../http/html-page.js";
import type { Assets } from "./assets.js";
import { signInFrame } from "./sign-in-frame.js";
import { wordsIn } from "./words/words.js";

/**
 * Returns the page that confirms the request for a sign-in link. The page is the same for known and unknown addresses so that it
 * doesn't reveal which addresses belong to staff members.
 */
export function linkSentPage(assets: Assets, prefix: string): Html {
  const { sent } = wordsIn[assets.language];
  const content = html`<h1>${sent.title}</h1>
<p>${sent.text}</p>
<p class="quiet">${sent.nothing} <a href="${prefix}/console">${sent.again}</a></p>`;
  return signInFrame(assets, prefix, sent.title, content);
}

/**
 * Returns the page that a sign-in link opens. The user must click a button on the page to sign in, because mail scanners open links
 * but don't click buttons.
 */
export function linkPage(assets: Assets, prefix: string, { email, shop }: SignInLinkHolder): Html {
  const { signIn, link } = wordsIn[assets.language];
  const content = html`<h1>${signIn}</h1>
<dl class="facts">
${
  shop === null
    ? []
    : [
        html`<div><dt>${link.shop}</dt><dd><bdi>${shop}</bdi></dd></div>
`,
      ]
}<div><dt>${link.you}</dt><dd><bdi>${email}</bdi></dd></div>
</dl>
<form method="post">
<label class="check"><input type="checkbox" name="stay"><span>${link.stay}<br><span class="hint">${link.stayHint}</span></span></label>
<button class="button primary">${signIn}</button>
</form>`;
  return signInFrame(assets, prefix, signIn, content);
}

/** Returns the page for a sign-in link that is no longer valid because it was used, expired, or was replaced by a newer link. */
export function linkOverPage(assets: Assets, prefix: string): Html {
  const { over } = wordsIn[assets.language];
  const content = html`<h1>${over.title}</h1>
<p>${over.text}</p>
<p><a class="button" href="${prefix}/console">${over.again}</a></p>`;
  return signInFrame(assets, prefix, over.title, content);
}
