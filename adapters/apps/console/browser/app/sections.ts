import type { Scope } from "../../../../../src/base/scopes.js";
import { hasScopes } from "../api/session.js";
import type { IconName } from "../components/icons.js";
import * as words from "../words/en/sections.js";

/** Alternative sets of required scopes. The user needs all scopes of at least one set. */
type Needs = readonly (readonly Scope[])[];

/** A section of the console, shown in the navigation. */
interface Section {
  readonly to: string;
  readonly icon: IconName;
  readonly text: string;
  readonly needs: Needs;
}

/** A tab of a section. */
interface Tab {
  readonly to: string;
  readonly text: string;
  readonly needs: Needs;
}

/**
 * Path of the automations section. On phones, this section is under "More" because the bottom bar doesn't have room for all
 * sections.
 */
export const AUTOMATIONS = "/automations";

const isSeen = ({ needs }: { readonly needs: Needs }) => needs.some((scopes) => hasScopes(...scopes));

const everySection: readonly Section[] = [
  {
    to: "/",
    icon: "overview",
    text: words.sections.overview,
    needs: [["statistics:read"], ["segment:read", "pass:read", "user:read"]],
  },
  { to: "/customers", icon: "customers", text: words.sections.customers, needs: [["user:read"]] },
  { to: "/segments", icon: "segments", text: words.sections.segments, needs: [["segment:read"]] },
  { to: "/messages", icon: "messages", text: words.sections.messages, needs: [["message:read"]] },
  { to: AUTOMATIONS, icon: "automations", text: words.sections.automations, needs: [["automation:manage"]] },
  { to: "/cards", icon: "cards", text: words.sections.cards, needs: [["template:read"]] },
  { to: "/till", icon: "till", text: words.sections.till, needs: [["pass:read"]] },
];

const everySettingsTab: readonly Tab[] = [
  { to: "/settings/shop", text: words.settingsTabs.shop, needs: [["settings:read"]] },
  { to: "/settings/people", text: words.settingsTabs.people, needs: [["people:manage"]] },
  { to: "/settings/mail", text: words.settingsTabs.mail, needs: [["message:read"]] },
  { to: "/settings/messages", text: words.settingsTabs.messages, needs: [["message:read"]] },
  { to: "/settings/time-zone", text: words.settingsTabs.timeZone, needs: [["settings:read"]] },
  { to: "/settings/wallets", text: words.settingsTabs.wallets, needs: [["settings:read"]] },
  { to: "/settings/trail", text: words.settingsTabs.trail, needs: [["audit:read"]] },
  { to: "/settings/sign-in", text: words.settingsTabs.signIn, needs: [[]] },
];

const everyDevelopersTab: readonly Tab[] = [
  { to: "/developers", text: words.developersTabs.tokens, needs: [["api_token:manage"]] },
  { to: "/developers/webhooks", text: words.developersTabs.webhooks, needs: [["webhook:manage"]] },
  { to: "/developers/apps", text: words.developersTabs.apps, needs: [["api_token:manage"]] },
  { to: "/developers/events", text: words.developersTabs.events, needs: [["webhook:manage"]] },
];

/** The console's sections that the signed-in user's scopes allow. */
export const sections = everySection.filter(isSeen);

export const settingsTabs = everySettingsTab.filter(isSeen);

export const developersTabs = everyDevelopersTab.filter(isSeen);

const findFirstVisible = (address: string) => sections.find(({ to }) => to === address);

/** Path of the screen that opens first. For users who can add stamps but can't see the overview, this is the till. */
export const startPath =
  (
    findFirstVisible("/") ??
    (hasScopes("loyalty:manage") ? findFirstVisible("/till") : undefined) ??
    sections[0]
  )?.to ?? "/";
