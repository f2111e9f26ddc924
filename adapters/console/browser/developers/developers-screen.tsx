import { mount } from "../api/session.js";
import { Link } from "../app/router.js";
import { NotFound, PageHead, type ScreenProps } from "../app/screen.js";
import { Apps } from "./apps.js";
import { EventLog } from "./event-log.js";
import { Tokens } from "./tokens.js";
import { Webhooks } from "./webhooks.js";

const tabs = [
  { name: "", text: "API tokens", Part: Tokens },
  { name: "webhooks", text: "Webhooks", Part: Webhooks },
  { name: "apps", text: "Apps", Part: Apps },
  { name: "events", text: "Events", Part: EventLog },
] as const;

/** What other programs need: tokens, webhooks, apps, the event log. */
export function DevelopersScreen({ place }: ScreenProps) {
  const name = place.path.split("/")[2] ?? "";
  const tab = tabs.find((each) => each.name === name);
  if (tab === undefined) return <NotFound />;
  return (
    <>
      <PageHead title="Developers">
        <a class="button" href={`${mount}/reference`}>
          API reference
        </a>
      </PageHead>
      <nav class="tabs" aria-label="Developers">
        {tabs.map((each) => (
          <Link
            key={each.name}
            class="tab"
            to={each.name === "" ? "/developers" : `/developers/${each.name}`}
            isCurrent={each === tab}
          >
            {each.text}
          </Link>
        ))}
      </nav>
      <tab.Part />
    </>
  );
}
