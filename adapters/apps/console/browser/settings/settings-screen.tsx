import { NotFound, PageHead, type ScreenProps } from "../app/screen.js";
import { settingsTabs } from "../app/sections.js";
import { Tabs } from "../app/tabs.js";
import { PeopleTab } from "../people/people-tab.js";
import { settings as words } from "../words/en/settings.js";
import { MailSettings } from "./mail-settings.js";
import { MessageRules } from "./message-rules.js";
import { ShopSettings } from "./shop-settings.js";
import { SignIn } from "./sign-in.js";
import { TimeZone } from "./time-zone.js";
import { TrailTab } from "./trail/trail-tab.js";
import { WalletSettings } from "./wallet-settings.js";

const parts = new Map([
  ["/settings/shop", ShopSettings],
  ["/settings/people", PeopleTab],
  ["/settings/mail", MailSettings],
  ["/settings/messages", MessageRules],
  ["/settings/time-zone", TimeZone],
  ["/settings/wallets", WalletSettings],
  ["/settings/trail", TrailTab],
  ["/settings/sign-in", SignIn],
]);

export function SettingsScreen({ place }: ScreenProps) {
  const Part = parts.get(place.path);
  if (Part === undefined) return <NotFound />;
  return (
    <>
      <PageHead title={words.title} />
      <Tabs label={words.title} tabs={settingsTabs} current={place.path} />
      <div class="stack settings">
        <Part />
      </div>
    </>
  );
}
