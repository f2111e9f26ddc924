import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/parts.css";
import "./styles/shell.css";
import "./styles/screens.css";
import "./styles/cards.css";
import "./styles/design.css";
import "./styles/customers.css";
import "./styles/overview.css";
import "./styles/messages.css";
import "./styles/segments.css";
import "./styles/automations.css";
import "./styles/till.css";
import { render } from "preact";
import { leadOn, usePlace } from "./app/router.js";
import { LazyScreen, NotFound, type Screen } from "./app/screen.js";
import { settingsTabs, start } from "./app/sections.js";
import { Shell } from "./app/shell.js";

/** The screens by their addresses. */
const screens: readonly (readonly [address: RegExp, load: () => Promise<Screen>])[] = [
  [/^\/$/, async () => (await import("./overview/overview-screen.js")).OverviewScreen],
  [
    /^\/customers$/,
    async () => (await import("./segments/viewed-customers-screen.js")).ViewedCustomersScreen,
  ],
  [
    /^\/customers\/[^/]+$/,
    async () => (await import("./automations/explained-customer-screen.js")).ExplainedCustomerScreen,
  ],
  [/^\/tags$/, async () => (await import("./customers/tags-screen.js")).TagsScreen],
  [/^\/segments$/, async () => (await import("./segments/segments-screen.js")).SegmentsScreen],
  [/^\/segments-new$/, async () => (await import("./segments/new-segment-screen.js")).NewSegmentScreen],
  [/^\/segments\/[^/]+$/, async () => (await import("./segments/segment-screen.js")).SegmentScreen],
  [
    /^\/segments\/[^/]+\/edit$/,
    async () => (await import("./segments/edit-segment-screen.js")).EditSegmentScreen,
  ],
  [/^\/messages$/, async () => (await import("./messages/messages-screen.js")).MessagesScreen],
  [/^\/messages\/[^/]+$/, async () => (await import("./messages/message-screen.js")).MessageScreen],
  [/^\/automations$/, async () => (await import("./automations/automations-screen.js")).AutomationsScreen],
  [
    /^\/automations\/(new|[^/]+\/edit)$/,
    async () => (await import("./automations/edit-automation-screen.js")).EditAutomationScreen,
  ],
  [
    /^\/automations\/[^/]+$/,
    async () => (await import("./automations/automation-screen.js")).AutomationScreen,
  ],
  [/^\/cards$/, async () => (await import("./cards/cards-screen.js")).CardsScreen],
  [/^\/cards\/[^/]+\/poster$/, async () => (await import("./cards/poster-screen.js")).PosterScreen],
  [/^\/cards\/[^/]+\/design$/, async () => (await import("./cards/design-screen.js")).DesignScreen],
  [/^\/till$/, async () => (await import("./till/till-screen.js")).TillScreen],
  [/^\/settings\/[a-z-]+$/, async () => (await import("./settings/settings-screen.js")).SettingsScreen],
  [
    /^\/developers(\/\w+)?$/,
    async () => (await import("./developers/developers-screen.js")).DevelopersScreen,
  ],
];

function Console() {
  const place = usePlace();
  const load = screens.find(([address]) => address.test(place.path))?.[1];
  return (
    <Shell path={place.path}>
      {load === undefined ? <NotFound /> : <LazyScreen key={place.path} load={load} place={place} />}
    </Shell>
  );
}

leadOn("/", start);
leadOn("/settings", settingsTabs[0]?.to ?? start);
const root = document.getElementById("console");
if (root !== null) render(<Console />, root);
