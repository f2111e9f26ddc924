import type { ComponentChildren } from "preact";
import { base, may, session } from "../api/session.js";
import { Icon, type IconName } from "../parts/icons.js";
import { Toasts } from "../parts/toasts.js";
import { app as words } from "../words/en/app.js";
import { Link } from "./router.js";
import { SignInAgain } from "./sign-in-again.js";
import { SignOut } from "./sign-out.js";

/** On a phone it stands under "More": there is no room for all of them below. */
const automations = { to: "/automations", icon: "automations", text: words.automations } as const;

const links = [
  { to: "/", icon: "overview", text: words.overview },
  { to: "/customers", icon: "customers", text: words.customers },
  { to: "/segments", icon: "segments", text: words.segments },
  { to: "/messages", icon: "messages", text: words.messages },
  ...(may("automation:manage") ? [automations] : []),
  { to: "/cards", icon: "cards", text: words.cards },
  { to: "/till", icon: "till", text: words.till },
] as const;

const isAt = (path: string, to: string) => {
  if (to === "/customers" && path === "/tags") return true;
  return to === "/" ? path === "/" : path.startsWith(to);
};

interface NavLinkProps {
  readonly to: string;
  readonly icon: IconName;
  readonly text: string;
  /** The path of the screen that is shown. */
  readonly path: string;
}

function NavLink({ to, icon, text, path }: NavLinkProps) {
  return (
    <Link class={`nav-link ${to === automations.to ? "roomy" : ""}`} to={to} isCurrent={isAt(path, to)}>
      <Icon name={icon} /> {text}
    </Link>
  );
}

/** The navigation around every screen: beside it, or on a phone below it. */
export function Shell({ path, children }: { readonly path: string; readonly children: ComponentChildren }) {
  const more = (
    <>
      <Link class="nav-link" to="/settings/shop" isCurrent={isAt(path, "/settings")}>
        <Icon name="settings" /> {words.settings}
      </Link>
      <Link class="nav-link" to="/developers" isCurrent={isAt(path, "/developers")}>
        <Icon name="developers" /> {words.developers}
      </Link>
      <a class="nav-link" href={`${base}/reference`}>
        <Icon name="book" /> {words.reference}
      </a>
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
        <bdi>{session.organizationId}</bdi>
        <details key={path}>
          <summary aria-label={words.more}>
            <Icon name="more" />
          </summary>
          <div>
            {links.includes(automations) && <NavLink {...automations} path={path} />}
            {more}
          </div>
        </details>
      </header>
      <nav class="side" aria-label={words.console}>
        <div class="organization">
          <img src={`${base}/icon.svg`} width="24" height="24" alt="" />
          <bdi>{session.organizationId}</bdi>
        </div>
        {links.map((link) => (
          <NavLink key={link.to} {...link} path={path} />
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
