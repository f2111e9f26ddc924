import type { ComponentType } from "preact";
import { mount, session } from "../api/session.js";
import { NotFound, PageHead, type ScreenProps } from "../app/screen.js";
import { developersTabs } from "../app/sections.js";
import { Tabs } from "../app/tabs.js";
import { developers as words } from "../words/en/developers.js";
import { Apps } from "./apps.js";
import { EventLog } from "./event-log.js";
import { Tokens } from "./tokens.js";
import { Webhooks } from "./webhooks.js";

const tabComponents = new Map<string, ComponentType<{ readonly query: URLSearchParams }>>([
  ["/developers", Tokens],
  ["/developers/webhooks", Webhooks],
  ["/developers/apps", Apps],
  ["/developers/events", EventLog],
]);

/** The screen for connecting other programs, with tabs for tokens, webhooks, apps, and the event log. */
export function DevelopersScreen({ screenLocation }: ScreenProps) {
  const TabContent = tabComponents.get(screenLocation.path);
  if (TabContent === undefined) return <NotFound />;
  return (
    <>
      <PageHead title={words.title}>
        <p class="quiet">
          {words.organization} <code>{session.organizationId}</code>
        </p>
        <a class="button" href={`${mount}/reference`}>
          {words.reference}
        </a>
      </PageHead>
      <Tabs label={words.title} tabs={developersTabs} current={screenLocation.path} />
      <TabContent query={screenLocation.query} />
    </>
  );
}
