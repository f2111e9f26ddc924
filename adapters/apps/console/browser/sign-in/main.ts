import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
} from "@simplewebauthn/browser";
import { describePasskeyError } from "../people/passkey-error.js";
import { signingIn as words } from "../words/en/passkeys.js";

/** The error for a call that the server refused or didn't respond to. */
class RequestError extends Error {
  /** @param status the HTTP status; 0 if there was no response. */
  constructor(readonly status: number) {
    super(`refused with ${status}`);
  }
}

/** Shows the passkey form if the browser supports passkeys and the page is at their origin. */
function enablePasskeyForm(form: HTMLFormElement): void {
  const { origin, console: base = "" } = form.dataset;
  if (origin !== location.origin || !browserSupportsWebAuthn()) return;
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void signIn(form, base);
  });
}

async function signIn(form: HTMLFormElement, base: string): Promise<void> {
  const [button, errorElement] = [
    form.querySelector("button"),
    form.querySelector<HTMLElement>("[role=alert]"),
  ];
  const shouldStaySignedIn = form.querySelector("input")?.checked ?? false;
  const setBusy = (isBusy: boolean) => button?.toggleAttribute("disabled", isBusy);
  if (errorElement !== null) errorElement.hidden = true;
  setBusy(true);
  try {
    const optionsJSON: PublicKeyCredentialRequestOptionsJSON = JSON.parse(
      await postJson(`${base}/people/passkey/options`),
    );
    const credential = await startAuthentication({ optionsJSON });
    await postJson(`${base}/people/passkey`, { stay: shouldStaySignedIn, credential });
    // Loads the page that was originally requested.
    location.replace(location.pathname + location.search);
  } catch (error) {
    setBusy(false);
    if (errorElement === null) return;
    errorElement.textContent =
      error instanceof RequestError ? describeRequestError(error) : describePasskeyError(error);
    errorElement.hidden = false;
  }
}

function describeRequestError({ status }: RequestError): string {
  if (status === 0 || status >= 500) return words.unanswered;
  return status === 429 ? words.tooOften : words.notTaken;
}

async function postJson(url: string, body: unknown = {}): Promise<string> {
  const headers = { "x-loyalty-console": "1", "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) }).catch(() => {
    throw new RequestError(0);
  });
  if (!response.ok) throw new RequestError(response.status);
  return response.text();
}

const form = document.querySelector<HTMLFormElement>("#passkey");
if (form !== null) enablePasskeyForm(form);
