import { NotFound, PageHead, type ScreenProps } from "../app/screen.js";
import { Tabs } from "../app/tabs.js";
import { MailSettings } from "./mail-settings.js";
import { MessageRules } from "./message-rules.js";
import { ShopSettings } from "./shop-settings.js";
import { SignIn } from "./sign-in.js";
import { TimeZone } from "./time-zone.js";
import { WalletSettings } from "./wallet-settings.js";

const tabs = [
  { to: "/settings/shop", text: "Shop", Part: ShopSettings },
  { to: "/settings/mail", text: "Mails", Part: MailSettings },
  { to: "/settings/messages", text: "Messages", Part: MessageRules },
  { to: "/settings/time-zone", text: "Time zone", Part: TimeZone },
  { to: "/settings/wallets", text: "Wallets", Part: WalletSettings },
  { to: "/settings/sign-in", text: "Sign-in", Part: SignIn },
] as const;

/** What the organization sets for all that it does. */
export function SettingsScreen({ place }: ScreenProps) {
  const tab = tabs.find(({ to }) => to === place.path);
  if (tab === undefined) return <NotFound />;
  return (
    <>
      <PageHead title="Settings" />
      <Tabs label="Settings" tabs={tabs} current={tab.to} />
      <div class="stack settings">
        <tab.Part />
      </div>
    </>
  );
}
