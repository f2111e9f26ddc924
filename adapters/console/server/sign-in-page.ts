import { type Html, html } from "../../http/html-page.js";
import type { Assets } from "./assets.js";
import { signInFrame } from "./sign-in-frame.js";
import type { Words } from "./words/en.js";
import { wordsIn } from "./words/words.js";

/** Why somebody could not sign in. */
export type SignInComplaint = keyof Words["complaints"];

/** The ways to sign in beside a token. */
interface SignInWays {
  /** Whether there is somebody to whom a link could be mailed. */
  readonly asksForEmail: boolean;
}

/**
 * Asks for the email of a person where a link could be mailed to one, with the token behind it; else for a token, whose form goes to
 * the URL of the page.
 * @param why the last try failed; `null` at first.
 */
export function signInPage(
  assets: Assets,
  prefix: string,
  why: SignInComplaint | null,
  { asksForEmail }: SignInWays,
): Html {
  const words = wordsIn[assets.language];
  const title = why === null ? words.signIn : words.failedToSignIn;
  const ofToken = why === "no token" || why === "too often";
  const atToken = ofToken || !asksForEmail ? why : null;
  if (!asksForEmail) {
    const content = html`<h1>${words.signIn}</h1>
${tokenForm(words, atToken, true)}`;
    return signInFrame(assets, prefix, title, content);
  }
  const content = html`<h1>${words.signIn}</h1>
<form method="post" action="${prefix}/console/people/link">
<label for="email">${words.email}</label>
<input id="email" name="email" type="email" autocomplete="username" autocapitalize="off" maxlength="254" required${focused(!ofToken)}${wrong(ofToken ? null : why)}>
${complaint(words, ofToken ? null : why)}
<button class="button primary">${words.mailLink}</button>
</form>
<details${ofToken ? [html` open`] : []}>
<summary>${words.withKey}</summary>
${tokenForm(words, atToken, ofToken)}
</details>`;
  return signInFrame(assets, prefix, title, content);
}

function tokenForm(words: Words, why: SignInComplaint | null, hasFocus: boolean): Html {
  return html`<p class="quiet">${words.byKey}</p>
<form method="post">
<label for="token">${words.key}</label>
<input id="token" name="token" type="password" autocomplete="off" autocapitalize="off" spellcheck="false" required${focused(hasFocus)}${wrong(why)}>
${complaint(words, why)}
<button class="button primary">${words.signIn}</button>
</form>
<details>
<summary>${words.whereFrom}</summary>
<p>${words.fromServer}</p>
<pre><code>npx loyalty-kit token create --database DATABASE --organization NAME --name console --scopes all</code></pre>
</details>`;
}

const focused = (has: boolean): readonly Html[] => (has ? [html` autofocus`] : []);

/** One form of the page has a complaint at most, so its id is that of one element. */
const wrong = (why: SignInComplaint | null): readonly Html[] =>
  why === null ? [] : [html` aria-invalid="true" aria-describedby="complaint"`];

function complaint(words: Words, why: SignInComplaint | null): readonly Html[] {
  if (why === null) return [];
  return [html`<p id="complaint" class="field-error" role="alert">${words.complaints[why]}</p>`];
}
