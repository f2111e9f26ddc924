import { useState } from "preact/hooks";
import type { Settings } from "../../../../../src/settings/schema.js";
import { loadCode } from "../api/call-error.js";
import { api } from "../api/calls.js";
import { applyShopSettings, hasScopes, session } from "../api/session.js";
import { NotFound, PageHead, type ScreenProps } from "../app/screen.js";
import { SERVER_SETTINGS_PATH, settingsTabs } from "../app/sections.js";
import { Tabs } from "../app/tabs.js";
import { UnsavedChanges } from "../app/unsaved.js";
import { Button } from "../components/button.js";
import { ErrorText, Loading } from "../components/feedback.js";
import { TextField } from "../components/field.js";
import { useSave } from "../components/form.js";
import { useInterval, useLoad } from "../components/load.js";
import { showToast } from "../components/toasts.js";
import { PeopleTab } from "../people/people-tab.js";
import { language } from "../words/en/forms.js";
import { settingsTabs as tabs } from "../words/en/sections.js";
import { settings as words } from "../words/en/settings.js";
import { MailSettings } from "./mail-settings.js";
import { MessageRules } from "./message-rules.js";
import { SaveRow } from "./save-row.js";
import { ShopSettings } from "./shop-settings.js";
import { SignIn } from "./sign-in.js";
import { TrailTab } from "./trail/trail-tab.js";
import { WalletSettings } from "./wallet-settings.js";

const CLOCK_MS = 10_000;

/** A form for the time zone that determines the organization's days and quiet hours. */
function TimeZone() {
  const settings = useLoad("settings", (calls) => calls.settings.get());
  return (
    <Loading data={settings} height="12rem">
      {(saved) => <TimeZoneForm saved={saved} onSaved={settings.set} />}
    </Loading>
  );
}

interface TimeZoneFormProps {
  readonly saved: Settings;
  readonly onSaved: (settings: Settings) => void;
}

function TimeZoneForm({ saved, onSaved }: TimeZoneFormProps) {
  const mayChange = hasScopes("settings:write");
  const [input, setInput] = useState(saved.timeZone);
  const [now, setNow] = useState(() => new Date());
  const { isBusy, error, save } = useSave();
  useInterval(CLOCK_MS, () => setNow(new Date()));
  const browserTimeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const clock = formatClock(input.trim(), now);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void save(async () => {
      const updatedSettings = await api.settings.update({ timeZone: input.trim() });
      applyShopSettings(updatedSettings);
      onSaved(updatedSettings);
      setInput(updatedSettings.timeZone);
      showToast(words.saved);
    });
  };
  return (
    <form class="panel padded stack" aria-label={tabs.timeZone} onSubmit={submit} noValidate>
      <UnsavedChanges isDirty={input.trim() !== saved.timeZone} />
      <TextField
        label={tabs.timeZone}
        hint={words.timeZone.hint}
        error={error?.fields.timeZone}
        list="time-zones"
        autocomplete="off"
        spellcheck={false}
        disabled={!mayChange}
        value={input}
        onText={setInput}
      />
      <datalist id="time-zones">
        {["UTC", ...Intl.supportedValuesOf("timeZone")].map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      {clock !== null && <p class="quiet">{words.timeZone.now(clock)}</p>}
      {error !== null && error.fields.timeZone === undefined && <ErrorText>{error.message}</ErrorText>}
      <SaveRow scope="settings:write" isBusy={isBusy}>
        {browserTimeZone !== input && (
          <Button text={words.timeZone.use(browserTimeZone)} onClick={() => setInput(browserTimeZone)} />
        )}
      </SaveRow>
    </form>
  );
}

/** Formats the current time in a time zone. Returns `null` if the browser doesn't know the time zone. */
function formatClock(timeZone: string, now: Date): string | null {
  try {
    return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", timeZone }).format(
      now,
    );
  } catch {
    return null;
  }
}

/** The page for operators, which loads its code on demand, because few users need it. */
function Server() {
  const code = useLoad("code", () => loadCode(() => import("./server-page.js")));
  return (
    <Loading data={code} height="6rem" count={3}>
      {({ ServerPage }) => <ServerPage />}
    </Loading>
  );
}

const tabComponents = new Map([
  ...(session.isOperator ? [[SERVER_SETTINGS_PATH, Server] as const] : []),
  ["/settings/shop", ShopSettings],
  ["/settings/people", PeopleTab],
  ["/settings/mail", MailSettings],
  ["/settings/messages", MessageRules],
  ["/settings/time-zone", TimeZone],
  ["/settings/wallets", WalletSettings],
  ["/settings/trail", TrailTab],
  ["/settings/sign-in", SignIn],
]);

export function SettingsScreen({ screenLocation }: ScreenProps) {
  const TabContent = tabComponents.get(screenLocation.path);
  if (TabContent === undefined) return <NotFound />;
  return (
    <>
      <PageHead title={words.title} />
      <Tabs label={words.title} tabs={settingsTabs} current={screenLocation.path} />
      <div class="stack settings">
        <TabContent />
      </div>
    </>
  );
}
