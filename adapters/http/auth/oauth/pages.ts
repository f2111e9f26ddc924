import type { App } from "../../../../src/access/app-schema.js";
import { type Scope, scopeWords } from "../../../../src/base/scopes.js";
import { toVisibleName } from "../../../../src/base/values/display-text.js";
import { HtmlLayout, type HtmlPage, html } from "../../html-page.js";
import type { HttpResponse } from "../../index.js";
import { noStoreHeaders, type OAuthError } from "./oauth-error.js";

/** The content of a consent page. */
interface ConsentPageProps {
  readonly app: Pick<App, "id" | "name">;
  /** The organization that registered the app. It is shown because two apps may have the same name. */
  readonly registeredBy: string;
  readonly organizationId: string;
  readonly scopes: readonly Scope[];
  /** The URL to which the browser is sent after the decision. */
  readonly redirectUri: string;
  /** Submitted with the form to prove that the form comes from this page. */
  readonly seal: string;
}

/** Builds the page that asks a user to authorize an app. The form is submitted to the page's URL, including its query. */
export function renderConsentPage(consent: ConsentPageProps): HttpResponse {
  const { app, scopes, redirectUri, seal } = consent;
  // Without cleaning, bidirectional control characters in the names could reorder the page's text.
  const appName = toVisibleName(app.name) ?? app.id;
  const registeredBy = toVisibleName(consent.registeredBy) ?? "";
  const organizationId = toVisibleName(consent.organizationId) ?? "";
  const { protocol, host } = new URL(redirectUri);
  // Only an app on the user's device has a redirect URI without a host.
  const destination =
    host === ""
      ? html`the app <strong>${protocol.slice(0, -1)}</strong> on this device`
      : html`<strong>${host}</strong>`;
  return pageResponse({
    title: `Allow ${appName}?`,
    // Browsers apply this to every redirect after the form, including redirects to the app's own site.
    formAction: protocol === "https:" ? "'self' https:" : `'self' https: ${protocol}`,
    content: html`<h1>Allow <bdi>${appName}</bdi> to access <bdi>${organizationId}</bdi>?</h1>
<p>The app was registered by <strong><bdi>${registeredBy}</bdi></strong>.</p>
<h2>The app will be able to:</h2>
<ul>
${scopes.map((scope) => html`<li>${scopeWords[scope]}</li>\n`)}</ul>
<p>You’ll be redirected to ${destination} either way. Only allow access if you know this app and wanted to use it.</p>
<form method="post">
<input type="hidden" name="seal" value="${seal}">
<button class="main" name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Deny</button>
</form>`,
  });
}

/** Builds the page that tells a user why the request can't be handled. */
export function renderErrorPage({ code, description, status }: OAuthError): HttpResponse {
  return pageResponse({
    title: "Something went wrong",
    status,
    content: html`<h1>Something went wrong</h1>
<p>The app that sent you here made a request that can’t be completed: ${description}.</p>
<p>Error code: <code>${code}</code></p>`,
  });
}

const layout = new HtmlLayout(`
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { margin: 0; background: #f3f4f6; color: #111827; }
main { box-sizing: border-box; max-width: 32rem; margin: 4rem auto; padding: 2rem; background: #fff;
  border: 1px solid #d1d5db; border-radius: .75rem; overflow-wrap: anywhere; }
h1 { margin: 0 0 1rem; font-size: 1.375rem; line-height: 1.3; }
h2 { margin: 1.5rem 0 .5rem; font-size: 1rem; }
ul { margin: 0; padding-left: 1.25rem; }
form { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem; }
label { flex: 1 0 100%; font-weight: 600; }
input { flex: 1 0 100%; box-sizing: border-box; padding: .625rem; font: inherit; border: 1px solid #6b7280;
  border-radius: .375rem; }
button { min-height: 2.75rem; padding: 0 1.5rem; font: inherit; font-weight: 600; color: #111827;
  background: #fff; border: 1px solid #6b7280; border-radius: .375rem; cursor: pointer; }
button.main { color: #fff; background: #1d4ed8; border-color: #1d4ed8; }
:focus-visible { outline: 3px solid #2563eb; outline-offset: 2px; }
@media (max-width: 36rem) { main { margin: 0; border: 0; border-radius: 0; } }
@media (prefers-color-scheme: dark) {
  body { background: #111827; color: #f3f4f6; }
  main { background: #1f2937; border-color: #374151; }
  :focus-visible { outline-color: #60a5fa; }
  input { background: #111827; color: #f3f4f6; border-color: #9ca3af; }
  button { background: #1f2937; color: #f3f4f6; border-color: #9ca3af; }
}
`);

/** Builds the response for a page that asks the user to make a decision. The page contains no scripts. */
export function pageResponse(page: HtmlPage): HttpResponse {
  return layout.renderResponse({ headers: noStoreHeaders, ...page });
}
