import { type Scope, scopeWords } from "../../../src/scopes.js";
import { html } from "../../http/html.js";
import type { HttpResponse } from "../../http/index.js";
import { pageAnswer } from "./page.js";

/** What a user is asked to allow. */
export interface Consent {
  readonly appName: string;
  /** The organization of the app: two apps may have one name. */
  readonly registeredBy: string;
  readonly organizationId: string;
  readonly scopes: readonly Scope[];
  /** Where the browser goes with the decision. */
  readonly redirectUri: string;
  /** What the form sends along, to show that it is this page's. */
  readonly seal: string;
}

/** Asks a user whether an app may do what it asks for. The form goes to the URL of the page, query included. */
export function consentPage(consent: Consent): HttpResponse {
  const { appName, registeredBy, organizationId, scopes, redirectUri, seal } = consent;
  const { protocol, host } = new URL(redirectUri);
  // Only an app on the device has a redirect URI without a host.
  const place =
    host === ""
      ? html`the app <strong>${protocol.slice(0, -1)}</strong> on this device`
      : html`<strong>${host}</strong>`;
  return pageAnswer({
    title: `Allow ${appName}?`,
    // Browsers hold every redirect behind a form to this, those of the app's own site as well.
    formAction: protocol === "https:" ? "'self' https:" : `'self' https: ${protocol}`,
    content: html`<h1>Allow <bdi>${appName}</bdi> to use the data of <bdi>${organizationId}</bdi>?</h1>
<p>The app was registered by <strong><bdi>${registeredBy}</bdi></strong>.</p>
<h2>If you allow it, it can:</h2>
<ul>
${scopes.map((scope) => html`<li>${scopeWords[scope]}</li>\n`)}</ul>
<p>Either way you go on to ${place}. Allow it only if you know the app and were about to use it.</p>
<form method="post">
<input type="hidden" name="seal" value="${seal}">
<button class="main" name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Deny</button>
</form>`,
  });
}
