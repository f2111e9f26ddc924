import { html } from "../../http/html.js";
import type { HttpResponse } from "../../http/index.js";
import { pageAnswer } from "../../oauth/pages/page.js";

/** Asks for an API token. The form goes to the URL of the page. @param isAgain after one that did not do. */
export function signInPage(isAgain: boolean): HttpResponse {
  const complaint = html`<p id="complaint" role="alert"><strong>That is no valid API token.</strong> Some may be used from certain addresses only.</p>`;
  const answer = pageAnswer({
    title: isAgain ? "Error: sign in" : "Sign in",
    status: isAgain ? 401 : 200,
    formAction: "'self' https: http:",
    content: html`<h1>Sign in</h1>
<p>An app asks for access to the data of your organization. It can get no more than the API token may do that you sign in with.</p>
${isAgain ? [complaint] : []}
<form method="post">
<label for="token">API token of your organization</label>
<input id="token" name="token" type="password" autocomplete="off" spellcheck="false" required${
      isAgain ? [html` aria-invalid="true" aria-describedby="complaint"`] : []
    }>
<button class="main">Go on</button>
</form>`,
  });
  return isAgain ? { ...answer, headers: { ...answer.headers, "www-authenticate": "Bearer" } } : answer;
}
