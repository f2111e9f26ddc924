import { type Html, html } from "../../../http/html-page.js";
import type { Assets } from "./assets.js";
import type { Words } from "./words/en.js";
import { wordsIn } from "./words/words.js";

/** The reason why a sign-in attempt failed. */
export type SignInError = keyof Words["complaints"];

/** Available sign-in methods besides a token. */
interface SignInWays {
  /** Whether the page asks for an email address to send a sign-in link to. */
  readonly asksForEmail: boolean;
  /** The origin at which staff can sign in with passkeys, or `null` if passkeys are disabled or there are no staff. */
  readonly passkeys: string | null;
}

/**
 * Returns the sign-in page. The page offers sign-in by emailed link if the service can send links, and by passkey if passkeys are
 * enabled. The API token form is collapsed below these options, or is shown alone if there are none. The form posts to the page's
 * URL.
 * @param why the reason why the last attempt failed, or `null` on the first attempt.
 */
export function signInPage(
  assets: Assets,
  prefix: string,
  why: SignInError | null,
  { asksForEmail, passkeys }: SignInWays,
): Html {
  const words = wordsIn[assets.language];
  const title = why === null ? words.signIn : words.failedToSignIn;
  const ofToken = !asksForEmail || why === "no token" || why === "too often";
  const atToken = ofToken ? why : null;
  const isAlone = !asksForEmail && passkeys === null;
  const content = html`<h1>${words.signIn}</h1>
${asksForEmail ? [linkForm(words, prefix, ofToken ? null : why, !ofToken)] : []}
${passkeys === null ? [] : [passkeyForm(words, assets, prefix, passkeys, !asksForEmail)]}
${isAlone ? tokenForm(words, atToken, true) : tokenBehind(words, atToken, ofToken && why !== null)}`;
  return signInFrame(assets, prefix, title, content);
}

function linkForm(words: Words, prefix: string, why: SignInError | null, hasFocus: boolean): Html {
  return html`<form method="post" action="${prefix}/console/people/link">
<label for="email">${words.email}</label>
<input id="email" name="email" type="email" autocomplete="username" autocapitalize="off" maxlength="254" required${focused(hasFocus)}${wrong(why)}>
${complaint(words, why)}
<button class="button primary">${words.mailLink}</button>
</form>`;
}

/**
 * Returns the passkey form, initially hidden. Its script shows it if the browser supports passkeys and the page is at the passkeys'
 * origin.
 */
function passkeyForm(words: Words, assets: Assets, prefix: string, origin: string, isFirst: boolean): Html {
  return html`<form id="passkey" data-origin="${origin}" data-console="${prefix}/console" hidden>
<label class="check"><input type="checkbox" name="stay"><span>${words.link.stay}<br><span class="hint">${words.link.stayHint}</span></span></label>
<p class="field-error" role="alert" hidden></p>
<button class="button${isFirst ? " primary" : ""}">${words.byPasskey}</button>
</form>
<script type="module" src="${prefix}/console/${assets.formatPath("passkey.js")}"></script>`;
}

function tokenBehind(words: Words, why: SignInError | null, isOpen: boolean): Html {
  return html`<details${isOpen ? [html` open`] : []}>
<summary>${words.withKey}</summary>
${tokenForm(words, why, isOpen)}
</details>`;
}

function tokenForm(words: Words, why: SignInError | null, hasFocus: boolean): Html {
  return html`<p class="quiet">${words.byKey}</p>
<form method="post">
<label for="token">${words.key}</label>
<input id="token" name="token" type="password" autocomplete="off" autocapitalize="off" spellcheck="false" required${focused(hasFocus)}${wrong(why)}>
${complaint(words, why)}
<button class="button primary">${words.signIn}</button>
</form>
<details>
<summary>${words.withoutToken}</summary>
<p>${words.askForLink}</p>
<details>
<summary>${words.runsServer}</summary>
<p>${words.printsLink}</p>
<pre><code>npx loyalty-kit people add you@example.com --role owner --database DATABASE --organization SHOP</code></pre>
</details>
</details>`;
}

const focused = (has: boolean): readonly Html[] => (has ? [html` autofocus`] : []);

/** The page shows at most one error, so the error's ID is unique. */
const wrong = (why: SignInError | null): readonly Html[] =>
  why === null ? [] : [html` aria-invalid="true" aria-describedby="complaint"`];

function complaint(words: Words, why: SignInError | null): readonly Html[] {
  if (why === null) return [];
  return [html`<p id="complaint" class="field-error" role="alert">${words.complaints[why]}</p>`];
}

/** Returns a sign-in page with the given content. Except for passkeys, the page works without JavaScript. */
export function signInFrame(assets: Assets, prefix: string, title: string, content: Html): Html {
  return html`<!doctype html>
<html lang="${assets.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · ${wordsIn[assets.language].title}</title>
<link rel="icon" href="${prefix}/console/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${prefix}/console/${assets.formatPath("main.css")}">
</head>
<body class="sign-in">
<main>
${content}
</main>
</body>
</html>
`;
}
