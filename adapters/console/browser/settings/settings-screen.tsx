import { NotFound, PageHead, type ScreenProps } from "../app/screen.js";
import { Tabs } from "../app/tabs.js";
import { settings as words } from "../words/en/settings.js";
import { MailSettings } from "./mail-settings.js";
import { MessageRules } from "./message-rules.js";
import { ShopSettings } from "./shop-settings.js";
import { SignIn } from "./sign-in.js";
import { TimeZone } from "./time-zone.js";
import { WalletSettings } from "./wallet-settings.js";

const tabs = [
  { to: "/settings/shop", text: words.tabs.shop, Part: ShopSettings },
  { to: "/settings/mail", text: words.tabs.mail, Part: MailSettings },
  { to: "/settings/messages", text: words.tabs.messages, Part: MessageRules },
  { to: "/settings/time-zone", text: words.tabs.timeZone, Part: TimeZone },
  { to: "/settings/wallets", text: words.tabs.wallets, Part: WalletSettings },
  { to: "/settings/sign-in", text: words.tabs.signIn, Part: SignIn },
] as const;

/** What the organization sets for all that it does. */
export function SettingsScreen({ place }: ScreenProps) {
  const tab = tabs.find(({ to }) => to === place.path);
  if (tab === undefined) return <NotFound />;
  return (
    <>
      <PageHead title={words.title} />
      <Tabs label={words.title} tabs={tabs} current={tab.to} />
      <div class="stack settings">
        <tab.Part />
      </div>
    </>
  );
}
