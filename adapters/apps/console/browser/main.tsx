import { render } from "preact";
import { findScreenName, type ScreenName } from "./app/addresses.js";
import { redirectInitial, useScreenLocation } from "./app/router.js";
import { LazyScreen, NotFound, type Screen } from "./app/screen.js";
import { settingsTabs, startPath } from "./app/sections.js";
import { Shell } from "./app/shell.js";

/** Loads each screen's code on demand. */
const screens: Readonly<Record<ScreenName, () => Promise<Screen>>> = {
  overview: async () => (await import("./overview/overview-screen.js")).OverviewScreen,
  customers: async () => (await import("./segments/filtered-customers-screen.js")).FilteredCustomersScreen,
  customer: async () => (await import("./automations/customer-detail-screen.js")).CustomerDetailScreen,
  tags: async () => (await import("./customers/tags-screen.js")).TagsScreen,
  purchases: async () => (await import("./purchases/purchases-screen.js")).PurchasesScreen,
  purchase: async () => (await import("./purchases/purchase-screen.js")).PurchaseScreen,
  segments: async () => (await import("./segments/segments-screen.js")).SegmentsScreen,
  newSegment: async () => (await import("./segments/new-segment-screen.js")).NewSegmentScreen,
  segment: async () => (await import("./segments/segment-screen.js")).SegmentScreen,
  editSegment: async () => (await import("./segments/edit-segment-screen.js")).EditSegmentScreen,
  messages: async () => (await import("./messages/messages-screen.js")).MessagesScreen,
  message: async () => (await import("./messages/message-screen.js")).MessageScreen,
  automations: async () => (await import("./automations/automations-screen.js")).AutomationsScreen,
  editAutomation: async () => (await import("./automations/edit-automation-screen.js")).EditAutomationScreen,
  automation: async () => (await import("./automations/automation-screen.js")).AutomationScreen,
  cards: async () => (await import("./cards/cards-screen.js")).CardsScreen,
  poster: async () => (await import("./cards/poster-screen.js")).PosterScreen,
  design: async () => (await import("./cards/design-screen.js")).DesignScreen,
  till: async () => (await import("./till/till-screen.js")).TillScreen,
  settings: async () => (await import("./settings/settings-screen.js")).SettingsScreen,
  developers: async () => (await import("./developers/developers-screen.js")).DevelopersScreen,
};

function Console() {
  const screenLocation = useScreenLocation();
  const name = findScreenName(screenLocation.path);
  return (
    <Shell path={screenLocation.path}>
      {name === null ? (
        <NotFound />
      ) : (
        <LazyScreen key={screenLocation.path} load={screens[name]} screenLocation={screenLocation} />
      )}
    </Shell>
  );
}

redirectInitial("/", startPath);
redirectInitial("/settings", settingsTabs[0]?.to ?? startPath);
const root = document.getElementById("console");
root?.replaceChildren();
if (root !== null) render(<Console />, root);
