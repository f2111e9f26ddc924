import { useEffect, useState } from "preact/hooks";
import { Button } from "../parts/button.js";
import { Dialog } from "../parts/dialog.js";
import { Field } from "../parts/field.js";
import { base, session } from "./session.js";

let waiting: Promise<void> | null = null;
let ask: (done: () => void) => void = () => {};

/** Asks for a token over whatever is on the screen. Resolves when there is a session again. */
export function untilSignedIn(): Promise<void> {
  waiting ??= new Promise<void>((resolve) => {
    ask(() => {
      waiting = null;
      resolve();
    });
  });
  return waiting;
}

/** Where it is asked. */
export function SignInAgain() {
  const [done, setDone] = useState<(() => void) | null>(null);
  useEffect(() => {
    ask = (done) => setDone(() => done);
  }, []);
  if (done === null) return null;
  return (
    <TokenDialog
      onDone={() => {
        setDone(null);
        done();
      }}
    />
  );
}

function TokenDialog({ onDone }: { readonly onDone: () => void }) {
  const [error, setError] = useState("");
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    const token = String(new FormData(form).get("token") ?? "");
    try {
      const answer = await fetch(base, {
        method: "POST",
        body: new URLSearchParams({ token }),
        redirect: "manual",
      });
      if (answer.type === "opaqueredirect") onDone();
      else
        setError(
          answer.status === 401 ? "That is no valid API token." : "The server refused it. Try again soon.",
        );
    } catch {
      setError("The server can’t be reached.");
    }
  };
  if (session.signOut !== null) {
    return (
      <Dialog title="Your session has ended" onClose={() => location.reload()}>
        <p>Sign in again to go on.</p>
        <div class="actions">
          <Button kind="primary" onClick={() => location.reload()}>
            Sign in
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title="Your session has ended" onSubmit={submit}>
      <p class="quiet">Sign in again to go on where you are. Nothing is lost.</p>
      <Field label="API token" error={error}>
        <input name="token" type="password" autocomplete="off" spellcheck={false} required />
      </Field>
      <div class="actions">
        <Button kind="primary" type="submit">
          Sign in
        </Button>
      </div>
    </Dialog>
  );
}
