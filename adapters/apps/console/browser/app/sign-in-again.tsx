import { useEffect, useState } from "preact/hooks";
import { base, onSessionEnd, session } from "../api/session.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { TextField } from "../components/field.js";
import { app as words } from "../words/en/app.js";
import { callErrors } from "../words/en/call-errors.js";

/** When the session has ended, shows a dialog over the current screen that asks the user to sign in again. */
export function SignInAgain() {
  const [done, setDone] = useState<(() => void) | null>(null);
  useEffect(() => onSessionEnd((done) => setDone(() => done)), []);
  if (done === null) return null;
  if (session.signOut !== null) return <SignInWithHost />;
  const goOn = () => {
    setDone(null);
    done();
  };
  return session.person === null ? <TokenDialog onDone={goOn} /> : <PersonDialog onDone={goOn} />;
}

/** Lets a staff member sign in again. The emailed link opens in another tab, so this screen keeps its content. */
function PersonDialog({ onDone }: { readonly onDone: () => void }) {
  return (
    <Dialog title={words.sessionEnded}>
      <p>{words.signInElsewhere}</p>
      <div class="actions">
        <a class="button" href={base} target="_blank" rel="noopener">
          {words.openSignIn}
        </a>
        <Button text={words.goOn} kind="primary" onClick={onDone} />
      </div>
    </Dialog>
  );
}

function SignInWithHost() {
  return (
    <Dialog title={words.sessionEnded} onClose={() => location.reload()}>
      <p>{words.signInAgain}</p>
      <div class="actions">
        <Button text={words.signIn} kind="primary" onClick={() => location.reload()} />
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
      else setError(status === 401 ? words.noKey : words.refused);
    } catch {
      setError(callErrors.unreachable);
    }
  };
  return (
    <Dialog title={words.sessionEnded} onSubmit={submit}>
      <p class="quiet">{words.nothingIsLost}</p>
      <TextField
        label={words.key}
        error={error}
        type="password"
        autocomplete="off"
        spellcheck={false}
        required
        value={token}
        onText={setToken}
      />
      <div class="actions">
        <Button text={words.signIn} kind="primary" type="submit" />
      </div>
    </Dialog>
  );
}
