import { useEffect, useState } from "preact/hooks";
import { base, onSessionEnd, session } from "../api/session.js";
import { Button } from "../parts/button.js";
import { Dialog } from "../parts/dialog.js";
import { TextField } from "../parts/field.js";

/** Asks for a token when the session has ended, over whatever is on the screen. */
export function SignInAgain() {
  const [done, setDone] = useState<(() => void) | null>(null);
  useEffect(() => onSessionEnd((done) => setDone(() => done)), []);
  if (done === null) return null;
  if (session.signOut !== null) return <SignInWithHost />;
  return (
    <TokenDialog
      onDone={() => {
        setDone(null);
        done();
      }}
    />
  );
}

function SignInWithHost() {
  return (
    <Dialog title="Your session has ended" onClose={() => location.reload()}>
      <p>Sign in again to go on.</p>
      <div class="actions">
        <Button text="Sign in" kind="primary" onClick={() => location.reload()} />
      </div>
    </Dialog>
  );
}

function TokenDialog({ onDone }: { readonly onDone: () => void }) {
  const [token, setToken] = useState("");
  const [error, setError] = useState("");
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const body = new URLSearchParams({ token });
    try {
      const { type, status } = await fetch(base, { method: "POST", body, redirect: "manual" });
      if (type === "opaqueredirect") onDone();
      else
        setError(status === 401 ? "That is no valid sign-in key." : "The server refused it. Try again soon.");
    } catch {
      setError("The server can’t be reached.");
    }
  };
  return (
    <Dialog title="Your session has ended" onSubmit={submit}>
      <p class="quiet">Sign in again to go on where you are. Nothing is lost.</p>
      <TextField
        label="Sign-in key"
        error={error}
        type="password"
        autocomplete="off"
        spellcheck={false}
        required
        value={token}
        onText={setToken}
      />
      <div class="actions">
        <Button text="Sign in" kind="primary" type="submit" />
      </div>
    </Dialog>
  );
}
