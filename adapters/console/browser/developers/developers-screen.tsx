import { mount } from "../api/session.js";
import { NotFound, PageHead, type ScreenProps } from "../app/screen.js";
import { Tabs } from "../app/tabs.js";
import { Apps } from "./apps.js";
import { EventLog } from "./event-log.js";
import { Tokens } from "./tokens.js";
import { Webhooks } from "./webhooks.js";

const tabs = [
  { to: "/developers", text: "API tokens", Part: Tokens },
  { to: "/developers/webhooks", text: "Webhooks", Part: Webhooks },
  { to: "/developers/apps", text: "Apps", Part: Apps },
  { to: "/developers/events", text: "Events", Part: EventLog },
] as const;

/** What other programs need: tokens, webhooks, apps, the event log. */
export function DevelopersScreen({ place }: ScreenProps) {
  const tab = tabs.find(({ to }) => to === place.path);
  if (tab === undefined) return <NotFound />;
  return (
    <>
      <PageHead title="Developers">
        <a class="button" href={`${mount}/reference`}>
          API reference
        </a>
      </PageHead>
      <Tabs label="Developers" tabs={tabs} current={tab.to} />
      <tab.Part />
    </>
  );
}
