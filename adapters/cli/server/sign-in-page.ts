import { html } from "../../http/html.js";
import type { HttpResponse } from "../../http/index.js";
import { pageAnswer } from "../../oauth/pages/page.js";

/** What is wrong with a token. */
export const noToken = "That is no valid API token. Some may be used from certain addresses only.";

/** Asks for an API token. The form goes to the URL of the page. @param problem what was wrong with the form before. */
export function signInPage(problem: string | null): HttpResponse {
  const isAgain = problem !== null;
  const complaint = html`<p id="complaint" role="alert"><strong>${problem ?? ""}</strong></p>`;
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
