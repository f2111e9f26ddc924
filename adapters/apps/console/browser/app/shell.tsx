import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { base, onSessionEnd, session } from "../api/session.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { TextField } from "../components/field.js";
import { Icon } from "../components/icons.js";
import { Toasts } from "../components/toasts.js";
import { app as words } from "../words/en/app.js";
import { callErrors } from "../words/en/call-errors.js";
import { Link } from "./router.js";
import { developersTabs, type NavigationSection, sections, settingsTabs } from "./sections.js";
import { ShopName } from "./shop-name.js";
import { SignOut } from "./sign-out.js";

const settingsPath = settingsTabs[0]?.to;
const developersPath = developersTabs[0]?.to;

const isCurrentPath = (path: string, to: string) => {
  if (to === "/customers" && path === "/tags") return true;
  return to === "/" ? path === "/" : path.startsWith(to);
};

interface NavLinkProps extends NavigationSection {
  /** Path of the current screen, relative to the console. */
  readonly path: string;
}

function NavLink({ to, icon, text, isUnderMore, path }: NavLinkProps) {
  return (
    <Link class={`nav-link ${isUnderMore ? "roomy" : ""}`} to={to} isCurrent={isCurrentPath(path, to)}>
      <Icon name={icon} /> {text}
    </Link>
  );
}

/** The frame around every screen, with the navigation at the side, or at the bottom on phones. */
export function Shell({ path, children }: { readonly path: string; readonly children: ComponentChildren }) {
  const moreLinks = (
    <>
      {settingsPath !== undefined && (
        <Link class="nav-link" to={settingsPath} isCurrent={isCurrentPath(path, "/settings")}>
          <Icon name="settings" /> {words.settings}
        </Link>
      )}
      {developersPath !== undefined && (
        <>
          <Link class="nav-link" to={developersPath} isCurrent={isCurrentPath(path, "/developers")}>
            <Icon name="developers" /> {words.developers}
          </Link>
          <a class="nav-link" href={`${base}/reference`}>
            <Icon name="book" /> {words.reference}
          </a>
        </>
      )}
      {session.links.map(({ text, url }) => (
        <a key={url} class="nav-link" href={url}>
          <Icon name="link" /> {text}
        </a>
      ))}
      <SignOut class="nav-link" />
    </>
  );
  return (
    <div class="shell">
      <a class="skip button" href="#content">
        {words.skipToContent}
      </a>
      <header class="top">
        <ShopName />
        <details key={path}>
          <summary aria-label={words.more}>
            <Icon name="more" />
          </summary>
          <div>
            {sections
              .filter(({ isUnderMore }) => isUnderMore)
              .map((section) => (
                <NavLink key={section.to} {...section} path={path} />
              ))}
            {moreLinks}
          </div>
        </details>
      </header>
      <nav class="side" aria-label={words.console}>
        <div class="organization">
          <img src={`${base}/icon.svg`} width="24" height="24" alt="" />
          <ShopName />
        </div>
        {sections.map((section) => (
          <NavLink key={section.to} {...section} path={path} />
        ))}
        <div class="bottom">{moreLinks}</div>
      </nav>
      <main class="content" id="content" tabIndex={-1}>
        {children}
      </main>
      <Toasts />
      <SignInAgain />
    </div>
  );
}

/** When the session has ended, shows a dialog over the current screen that asks the user to sign in again. */
function SignInAgain() {
  const [resume, setDone] = useState<(() => void) | null>(null);
  useEffect(() => onSessionEnd((resumeSession) => setDone(() => resumeSession)), []);
  if (resume === null) return null;
  if (session.signOut !== null) return <SignInWithHost />;
  const continueSession = () => {
    setDone(null);
    resume();
  };
  return session.person === null ? (
    <TokenDialog onDone={continueSession} />
  ) : (
    <PersonDialog onDone={continueSession} />
  );
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
        <Button text={words.continue} kind="primary" onClick={onDone} />
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
      else setError(status === 401 ? words.invalidToken : words.somethingWentWrong);
    } catch {
      setError(callErrors.unreachable);
    }
  };
  return (
    <Dialog title={words.sessionEnded} onSubmit={submit}>
      <p class="quiet">{words.nothingIsLost}</p>
      <TextField
        label={words.apiToken}
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
