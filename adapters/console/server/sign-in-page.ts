import { type Html, html } from "../../http/html-page.js";
import { notOwnPage } from "../../http/request/own-page.js";
import type { Assets } from "./assets.js";

const complaints = {
  "no token":
    "That is no valid sign-in key. Keys begin with lk_, and some may be used from certain addresses only.",
  "not our page": notOwnPage,
  "too often": "Too many have signed in with this key. Try again later.",
};

/** The form that asks for an API token, sent to the URL of the page. @param why the last try failed; `null` at first. */
export function signInPage(assets: Assets, prefix: string, why: keyof typeof complaints | null): Html {
  const isAgain = why !== null;
  const complaint = html`<p id="complaint" class="field-error" role="alert">${why === null ? "" : complaints[why]}</p>`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${isAgain ? "Error: sign in" : "Sign in"} · Loyalty console</title>
<link rel="icon" href="${prefix}/console/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${prefix}/console/assets/${assets.nameOf("main.css")}">
</head>
<body class="sign-in">
<main>
<h1>Sign in</h1>
<p class="quiet">With a key of your shop. What it may do is what you may do here.</p>
<form method="post">
<label for="token">Sign-in key</label>
<input id="token" name="token" type="password" autocomplete="off" autocapitalize="off" spellcheck="false" required autofocus${
    isAgain ? [html` aria-invalid="true" aria-describedby="complaint"`] : []
  }>
${isAgain ? [complaint] : []}
<button class="button primary">Sign in</button>
</form>
<details>
<summary>Where do I get a key?</summary>
<p>From who runs the server, as an API token. This command makes one there:</p>
<pre><code>npx loyalty-kit token create --database DATABASE --organization NAME --name console --scopes all</code></pre>
</details>
</main>
</body>
</html>
`;
}
