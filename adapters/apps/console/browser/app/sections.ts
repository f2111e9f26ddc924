import type { Scope } from "../../../../../src/base/scopes.js";
import { hasScopes, session } from "../api/session.js";
import type { IconName } from "../components/icons.js";
import * as words from "../words/en/sections.js";

/** Alternative sets of required scopes. The user needs all scopes of at least one set. */
type RequiredScopes = readonly (readonly Scope[])[];

/** A section of the console, shown in the navigation. */
export interface NavigationSection {
  readonly to: string;
  readonly icon: IconName;
  readonly text: string;
  readonly requiredScopes: RequiredScopes;
  /** True to show the section under "More" on phones, because the bottom bar doesn't have room for all sections. */
  readonly isUnderMore?: boolean;
}

/** A tab of a section. */
interface Tab {
  readonly to: string;
  readonly text: string;
  readonly requiredScopes: RequiredScopes;
}

const isVisible = ({ requiredScopes }: { readonly requiredScopes: RequiredScopes }) =>
  requiredScopes.some((scopes) => hasScopes(...scopes));

const allSections: readonly NavigationSection[] = [
  {
    to: "/",
    icon: "overview",
    text: words.sections.overview,
    requiredScopes: [["statistics:read"], ["segment:read", "pass:read", "user:read"]],
  },
  { to: "/customers", icon: "customers", text: words.sections.customers, requiredScopes: [["user:read"]] },
  {
    to: "/purchases",
    icon: "purchases",
    text: words.sections.purchases,
    requiredScopes: [["purchase:read"]],
    isUnderMore: true,
  },
  {
    to: "/segments",
    icon: "segments",
    text: words.sections.segments,
    requiredScopes: [["segment:read"]],
    isUnderMore: true,
  },
  { to: "/messages", icon: "messages", text: words.sections.messages, requiredScopes: [["message:read"]] },
  {
    to: "/automations",
    icon: "automations",
    text: words.sections.automations,
    requiredScopes: [["automation:manage"]],
    isUnderMore: true,
  },
  {
    to: "/cards",
    icon: "cards",
    text: words.sections.cards,
    requiredScopes: [["template:read"]],
    isUnderMore: true,
  },
  { to: "/till", icon: "till", text: words.sections.till, requiredScopes: [["pass:read"]] },
];

/** The path of the page for the server's operators. */
export const SERVER_SETTINGS_PATH = "/settings/server";

const allSettingsTabs: readonly Tab[] = [
  { to: "/settings/shop", text: words.settingsTabs.shop, requiredScopes: [["settings:read"]] },
  { to: "/settings/people", text: words.settingsTabs.people, requiredScopes: [["people:manage"]] },
  { to: "/settings/mail", text: words.settingsTabs.mail, requiredScopes: [["message:read"]] },
  { to: "/settings/messages", text: words.settingsTabs.messages, requiredScopes: [["message:read"]] },
  { to: "/settings/time-zone", text: words.settingsTabs.timeZone, requiredScopes: [["settings:read"]] },
  { to: "/settings/wallets", text: words.settingsTabs.wallets, requiredScopes: [["settings:read"]] },
  { to: "/settings/trail", text: words.settingsTabs.trail, requiredScopes: [["audit:read"]] },
  { to: "/settings/sign-in", text: words.settingsTabs.signIn, requiredScopes: [[]] },
  {
    to: SERVER_SETTINGS_PATH,
    text: words.settingsTabs.server,
    requiredScopes: session.isOperator ? [[]] : [],
  },
];

const allDevelopersTabs: readonly Tab[] = [
  { to: "/developers", text: words.developersTabs.tokens, requiredScopes: [["api_token:manage"]] },
  { to: "/developers/webhooks", text: words.developersTabs.webhooks, requiredScopes: [["webhook:manage"]] },
  { to: "/developers/apps", text: words.developersTabs.apps, requiredScopes: [["api_token:manage"]] },
  { to: "/developers/events", text: words.developersTabs.events, requiredScopes: [["webhook:manage"]] },
];

/** The console's sections that are visible with the signed-in user's scopes. */
export const sections = allSections.filter(isVisible);

export const settingsTabs = allSettingsTabs.filter(isVisible);

export const developersTabs = allDevelopersTabs.filter(isVisible);

const findSection = (address: string) => sections.find(({ to }) => to === address);

/** The path of the initial screen. For users who can add stamps but can't see the overview, this is the till. */
export const startPath =
  (findSection("/") ?? (hasScopes("loyalty:manage") ? findSection("/till") : undefined) ?? sections[0])?.to ??
  "/";
