import type { ComponentChildren } from "preact";
import { base, session } from "../api/session.js";
import { Icon, type IconName } from "../components/icons.js";
import { Toasts } from "../components/toasts.js";
import { app as words } from "../words/en/app.js";
import { Link } from "./router.js";
import { AUTOMATIONS, developersTabs, sections, settingsTabs } from "./sections.js";
import { ShopName } from "./shop-name.js";
import { SignInAgain } from "./sign-in-again.js";
import { SignOut } from "./sign-out.js";

const settings = settingsTabs[0]?.to;
const developers = developersTabs[0]?.to;

const isAt = (path: string, to: string) => {
  if (to === "/customers" && path === "/tags") return true;
  return to === "/" ? path === "/" : path.startsWith(to);
};

interface NavLinkProps {
  readonly to: string;
  readonly icon: IconName;
  readonly text: string;
  /** Path of the current screen, relative to the console. */
  readonly path: string;
}

function NavLink({ to, icon, text, path }: NavLinkProps) {
  return (
    <Link class={`nav-link ${to === AUTOMATIONS ? "roomy" : ""}`} to={to} isCurrent={isAt(path, to)}>
      <Icon name={icon} /> {text}
    </Link>
  );
}

/** The frame around every screen. Its navigation is at the side, or at the bottom on phones. */
export function Shell({ path, children }: { readonly path: string; readonly children: ComponentChildren }) {
  const more = (
    <>
      {settings !== undefined && (
        <Link class="nav-link" to={settings} isCurrent={isAt(path, "/settings")}>
          <Icon name="settings" /> {words.settings}
        </Link>
      )}
      {developers !== undefined && (
        <>
          <Link class="nav-link" to={developers} isCurrent={isAt(path, "/developers")}>
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
        {words.skip}
      </a>
      <header class="top">
        <ShopName />
        <details key={path}>
          <summary aria-label={words.more}>
            <Icon name="more" />
          </summary>
          <div>
            {sections
              .filter(({ to }) => to === AUTOMATIONS)
              .map((section) => (
                <NavLink key={section.to} {...section} path={path} />
              ))}
            {more}
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
        <div class="bottom">{more}</div>
      </nav>
      <main class="content" id="content" tabIndex={-1}>
        {children}
      </main>
      <Toasts />
      <SignInAgain />
    </div>
  );
}
