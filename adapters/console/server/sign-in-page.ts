import { type Html, html } from "../../http/html-page.js";
import type { Assets } from "./assets.js";
import type { Words } from "./words/en.js";
import { wordsIn } from "./words/words.js";

/** Why somebody could not sign in. */
export type SignInComplaint = keyof Words["complaints"];

/** The form that asks for an API token, sent to the URL of the page. @param why the last try failed; `null` at first. */
export function signInPage(assets: Assets, prefix: string, why: SignInComplaint | null): Html {
  const words = wordsIn[assets.language];
  const isAgain = why !== null;
  const complaint = html`<p id="complaint" class="field-error" role="alert">${why === null ? "" : words.complaints[why]}</p>`;
  return html`<!doctype html>
<html lang="${assets.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${isAgain ? words.failedToSignIn : words.signIn} · ${words.title}</title>
<link rel="icon" href="${prefix}/console/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${prefix}/console/${assets.pathOf("main.css")}">
</head>
<body class="sign-in">
<main>
<h1>${words.signIn}</h1>
<p class="quiet">${words.byKey}</p>
<form method="post">
<label for="token">${words.key}</label>
<input id="token" name="token" type="password" autocomplete="off" autocapitalize="off" spellcheck="false" required autofocus${
    isAgain ? [html` aria-invalid="true" aria-describedby="complaint"`] : []
  }>
${isAgain ? [complaint] : []}
<button class="button primary">${words.signIn}</button>
</form>
<details>
<summary>${words.whereFrom}</summary>
<p>${words.fromServer}</p>
<pre><code>npx loyalty-kit token create --database DATABASE --organization NAME --name console --scopes all</code></pre>
</details>
</main>
</body>
</html>
`;
}
