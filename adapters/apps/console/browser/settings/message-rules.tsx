import type { MessageSettings, UpdateMessageSettings } from "../../../../../src/messages/settings-schema.js";
import { requireCallError } from "../api/call-error.js";
import { api } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { Link } from "../app/router.js";
import { UnsavedChanges } from "../app/unsaved.js";
import { ErrorText, Loading } from "../components/feedback.js";
import { createCheckboxField, createNumberField, createTextField, useForm } from "../components/form.js";
import { useLoad } from "../components/load.js";
import { showToast } from "../components/toasts.js";
import { settingsTabs as tabs } from "../words/en/sections.js";
import { settings as words } from "../words/en/settings.js";
import { SaveRow } from "./save-row.js";

const fields = {
  isQuiet: createCheckboxField(words.messages.quiet, words.messages.quietHint),
  from: createTextField(words.messages.from, { type: "time" }),
  to: createTextField(words.messages.until, { type: "time", hint: words.messages.untilHint }),
  isCapped: createCheckboxField(words.messages.cap, words.messages.capHint),
  messages: createNumberField(words.messages.count, 2, { min: 1, max: 100 }),
  perDays: createNumberField(words.messages.perDays, 7, { min: 1, max: 90 }),
  walletByDefault: createCheckboxField(words.messages.unasked, words.messages.unaskedHint),
};

type RuleValues = { readonly [Name in keyof typeof fields]: ReturnType<(typeof fields)[Name]["parse"]> };

/**
 * A form for the message rules: when messages are sent, how many messages a customer can receive, and whether cards show messages
 * to customers who have never stated a preference.
 */
export function MessageRules() {
  const settings = useLoad("messages", (calls) => calls.messageSettings.get());
  const zone = useLoad("zone", async (calls) => (hasScopes("settings:read") ? calls.settings.get() : null));
  return (
    <Loading data={settings} height="20rem">
      {(saved) => <RulesForm saved={saved} timeZone={zone.value?.timeZone ?? null} onSaved={settings.set} />}
    </Loading>
  );
}

interface RulesFormProps {
  readonly saved: MessageSettings;
  /** The organization's time zone, or `null` if the user may not read it. */
  readonly timeZone: string | null;
  readonly onSaved: (settings: MessageSettings) => void;
}

function RulesForm({ saved, timeZone, onSaved }: RulesFormProps) {
  const mayChange = hasScopes("message:send");
  const form = useForm(fields, {
    saved: toRulesDraft(saved),
    send: async (values) => {
      try {
        onSaved(await api.messageSettings.update(pickChanges(saved, values)));
      } catch (error) {
        throw requireCallError(error).stripFieldPrefix("quietHours").stripFieldPrefix("cap");
      }
      showToast(words.messages.saved);
    },
  });
  const { isQuiet, from, to, isCapped, messages, perDays, walletByDefault } = form.values;
  const currentValues = { isQuiet, from, to, isCapped, walletByDefault };
  const changes = pickChanges(saved, {
    ...currentValues,
    messages: Number(messages),
    perDays: Number(perDays),
  });
  const hourFields = ["from", "to"];
  const countFields = ["messages", "perDays"];
  const hideAllExcept = (...names: string[]) => Object.keys(fields).filter((name) => !names.includes(name));
  const hidden = [...(isQuiet ? [] : hourFields), ...(isCapped ? [] : countFields)];
  const message = form.getFormMessage(hidden);
  return (
    <form class="panel padded stack" aria-label={words.messages.form} onSubmit={form.submit} noValidate>
      <UnsavedChanges isDirty={Object.keys(changes).length > 0} />
      <fieldset class="plain stack" disabled={!mayChange}>
        <legend class="unseen">{tabs.messages}</legend>
        {form.controls(hideAllExcept("isQuiet"))}
        {isQuiet && (
          <>
            <div class="columns">{form.controls(hideAllExcept(...hourFields))}</div>
            {timeZone !== null && (
              <p class="hint">
                {words.messages.inTimeZone} <Link to="/settings/time-zone">{timeZone}</Link>.
              </p>
            )}
          </>
        )}
        {form.controls(hideAllExcept("isCapped"))}
        {isCapped && <div class="columns">{form.controls(hideAllExcept(...countFields))}</div>}
        {form.controls(hideAllExcept("walletByDefault"))}
      </fieldset>
      {message !== null && <ErrorText>{message}</ErrorText>}
      <SaveRow scope="message:send" isBusy={form.isBusy} />
    </form>
  );
}

/** Converts the settings to form values. A disabled rule gets default values. */
function toRulesDraft({ quietHours, cap, walletByDefault }: MessageSettings): RuleValues {
  return {
    isQuiet: quietHours !== null,
    from: quietHours?.from ?? "21:00",
    to: quietHours?.to ?? "08:00",
    isCapped: cap !== null,
    messages: cap?.messages ?? 2,
    perDays: cap?.perDays ?? 7,
    walletByDefault,
  };
}

/** Returns only the changed settings, because other users may have changed the rest in the meantime. */
function pickChanges(saved: MessageSettings, values: RuleValues): UpdateMessageSettings {
  const { isQuiet, from, to, isCapped, messages, perDays, walletByDefault } = values;
  const quietHours = isQuiet ? { from, to } : null;
  const cap = isCapped ? { perDays, messages } : null;
  return {
    ...(!isSame(quietHours, saved.quietHours) && { quietHours }),
    ...(!isSame(cap, saved.cap) && { cap }),
    ...(walletByDefault !== saved.walletByDefault && { walletByDefault }),
  };
}

function isSame(one: object | null, other: object | null): boolean {
  if (one === null || other === null) return one === other;
  return Object.entries(one).every(([name, value]) => Reflect.get(other, name) === value);
}
