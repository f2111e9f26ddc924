import { html } from "../../http/html.js";
import type { HttpResponse } from "../../http/index.js";
import type { OAuthError } from "../oauth-error.js";
import { pageAnswer } from "./page.js";

/** Tells a user why there is nothing to decide. */
export function errorPage({ code, description, status }: OAuthError): HttpResponse {
  return pageAnswer({
    title: "This request can't be answered",
    status,
    content: html`<h1>This request can’t be answered</h1>
<p>The app that sent you here made a request that can’t be answered: ${description}.</p>
<p>Error code: <code>${code}</code></p>`,
  });
}
