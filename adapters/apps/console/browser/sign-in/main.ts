import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
} from "@simplewebauthn/browser";
import { passkeyErrorText } from "../people/passkey-error.js";
import { signingIn as words } from "../words/en/passkeys.js";

/** The error for a call that the server refused or didn't respond to. */
class Refused extends Error {
  /** @param status the HTTP status; 0 if there was no response. */
  constructor(readonly status: number) {
    super(`refused with ${status}`);
  }
}

/** Shows the passkey form if the browser supports passkeys and the page is at their origin. */
function begin(form: HTMLFormElement): void {
  const { origin, console: base = "" } = form.dataset;
  if (origin !== location.origin || !browserSupportsWebAuthn()) return;
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void attempt(form, base);
  });
}

async function attempt(form: HTMLFormElement, base: string): Promise<void> {
  const [button, complaint] = [form.querySelector("button"), form.querySelector<HTMLElement>("[role=alert]")];
  const stay = form.querySelector("input")?.checked ?? false;
  const busy = (isBusy: boolean) => button?.toggleAttribute("disabled", isBusy);
  if (complaint !== null) complaint.hidden = true;
  busy(true);
  try {
    const optionsJSON: PublicKeyCredentialRequestOptionsJSON = JSON.parse(
      await postJson(`${base}/people/passkey/options`),
    );
    const credential = await startAuthentication({ optionsJSON });
    await postJson(`${base}/people/passkey`, { stay, credential });
    // Loads the page that was originally requested.
    location.replace(location.pathname + location.search);
  } catch (error) {
    busy(false);
    if (complaint === null) return;
    complaint.textContent = error instanceof Refused ? refusalWords(error) : passkeyErrorText(error);
    complaint.hidden = false;
  }
}

function refusalWords({ status }: Refused): string {
  if (status === 0 || status >= 500) return words.unanswered;
  return status === 429 ? words.tooOften : words.notTaken;
}

async function postJson(url: string, body: unknown = {}): Promise<string> {
  const headers = { "x-loyalty-console": "1", "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) }).catch(() => {
    throw new Refused(0);
  });
  if (!response.ok) throw new Refused(response.status);
  return response.text();
}

const form = document.querySelector<HTMLFormElement>("#passkey");
if (form !== null) begin(form);
