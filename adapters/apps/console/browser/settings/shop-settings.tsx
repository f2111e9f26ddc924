import { useEffect, useState } from "preact/hooks";
import type { Settings, UpdateSettings } from "../../../../../src/settings/schema.js";
import { api, createCalls } from "../api/calls.js";
import { applyShopSettings, hasScopes } from "../api/session.js";
import { Unsaved } from "../app/unsaved.js";
import { Button } from "../components/button.js";
import { saveFile } from "../components/download.js";
import { ErrorText, Loading } from "../components/feedback.js";
import {
  createCheckboxField,
  createOptionalTextField,
  createParsedTextField,
  createSelectField,
  type FormField,
  useForm,
} from "../components/form.js";
import { useLoad } from "../components/load.js";
import { PictureField } from "../components/picture-field.js";
import { logoSize } from "../components/picture-size.js";
import { suggestTimeZone } from "../components/shop-time-zone.js";
import { showError, showToast } from "../components/toasts.js";
import { showStepToast } from "../overview/step-toast.js";
import { locale, language as spoken } from "../words/en/forms.js";
import { parts } from "../words/en/parts.js";
import { settingsTabs as tabs } from "../words/en/sections.js";
import { settings as words } from "../words/en/settings.js";
import { everything as everythingWords } from "../words/en/transfer.js";
import { SaveRow } from "./save-row.js";

const MEGABYTE = 1_000_000;

const megabytes = new Intl.NumberFormat(locale, { maximumFractionDigits: 1, minimumFractionDigits: 1 });

const logo: FormField<string | null, string | null> = {
  initial: null,
  format: (saved) => saved,
  parse: (picture) => picture,
  control: ({ value, error, onChange }) => (
    <PictureField
      label={words.shop.logo}
      size={logoSize}
      hint={words.shop.logoHint}
      picture={value}
      error={error}
      onChange={onChange}
    />
  ),
};

/** Languages in which customer pages and emails have texts. Each is listed under its own name. */
const languages = ["en", "de", "es", "fr", "pt"];

const createLanguageField = (saved: string | null) => {
  const others = [...new Set([...languages, ...(saved === null ? [] : [saved])])].filter(
    (tag) => tag !== "en",
  );
  return createSelectField(words.shop.language, [
    // Without a language, pages are in English, so English isn't listed a second time.
    saved === "en" ? [saved, formatDisplayName(saved, "language", saved)] : ["", words.shop.noLanguage],
    ...others.map((tag) => [tag, formatDisplayName(tag, "language", tag)] as const),
  ]);
};

const createFields = ({ language }: Settings) => ({
  name: createOptionalTextField(words.shop.name, {
    maxLength: 78,
    autocomplete: "organization",
    hint: words.shop.nameHint,
  }),
  logo,
  language: createLanguageField(language),
  currency: createParsedTextField(
    words.shop.currency,
    (input): string | null => input.trim().toUpperCase() || null,
    {
      list: "currencies",
      autocomplete: "off",
      spellcheck: false,
      hint: words.shop.currencyHint,
    },
  ),
  requiresEmail: createCheckboxField(words.shop.requiresEmail, words.shop.requiresEmailHint),
});

/** A form for how the shop appears to customers, such as its name and logo. */
export function ShopSettings() {
  const settings = useLoad("shop", (calls) => calls.settings.get());
  return (
    <>
      <Loading data={settings} height="26rem">
        {/* The stored picture differs from the chosen one, so the form is remounted after saving. */}
        {(saved) => <ShopForm key={saved.updatedAt} saved={saved} onSaved={settings.set} />}
      </Loading>
      {/* Not before the form, which would push it down. */}
      {hasScopes("organization:export") && !(settings.value === null && settings.error === null) && (
        <ExportEverything />
      )}
    </>
  );
}

interface ShopFormProps {
  readonly saved: Settings;
  readonly onSaved: (settings: Settings) => void;
}

function ShopForm({ saved, onSaved }: ShopFormProps) {
  const fields = createFields(saved);
  const timeZone = suggestTimeZone(saved);
  const form = useForm(fields, {
    saved,
    send: async (values) => {
      const settings = await api.settings.update({
        ...pickChanges(saved, values),
        ...(values.name !== null && timeZone !== null && { timeZone }),
      });
      applyShopSettings(settings);
      onSaved(settings);
      void showStepToast(words.saved);
    },
  });
  const { name, logo: picture, language, currency, requiresEmail } = form.values;
  const currentValues = {
    name: fields.name.parse(name),
    logo: picture,
    language,
    currency: fields.currency.parse(currency),
    requiresEmail,
  };
  const message = form.getFormMessage([]);
  return (
    <form class="panel padded stack" aria-label={tabs.shop} onSubmit={form.submit} noValidate>
      <Unsaved isDirty={Object.keys(pickChanges(saved, currentValues)).length > 0} />
      <fieldset class="plain stack" disabled={!hasScopes("settings:write")}>
        <legend class="unseen">{tabs.shop}</legend>
        {form.controls(
          [],
          timeZone === null ? {} : { name: { hint: `${words.shop.nameHint} ${parts.timeZone(timeZone)}` } },
        )}
      </fieldset>
      <datalist id="currencies">
        {Intl.supportedValuesOf("currency").map((code) => (
          <option key={code} value={code} label={formatDisplayName(code, "currency", spoken)} />
        ))}
      </datalist>
      {currentValues.currency !== null && <p class="quiet">{formatExampleAmount(currentValues.currency)}</p>}
      {message !== null && <ErrorText>{message}</ErrorText>}
      <SaveRow scope="settings:write" isBusy={form.isBusy} />
    </form>
  );
}

type FormValues = Pick<Settings, "name" | "logo" | "currency" | "requiresEmail"> & {
  readonly language: string;
};

/** Returns only the changed fields, because other users may have changed the rest in the meantime. */
function pickChanges(
  saved: Settings,
  { name, logo: picture, language, currency, requiresEmail }: FormValues,
): UpdateSettings {
  const selectedLanguage = language === "" ? null : language;
  return {
    ...(name !== saved.name && { name }),
    ...(picture !== saved.logo && { logo: picture }),
    ...(selectedLanguage !== saved.language && { language: selectedLanguage }),
    ...(currency !== saved.currency && { currency }),
    ...(requiresEmail !== saved.requiresEmail && { requiresEmail }),
  };
}

function formatDisplayName(code: string, type: "language" | "currency", language: string): string {
  return new Intl.DisplayNames([language], { type }).of(code) ?? code;
}

/** Formats an example amount; returns an empty string for an invalid currency code. */
function formatExampleAmount(currency: string): string {
  try {
    const amount = new Intl.NumberFormat(undefined, { style: "currency", currency }).format(4.5);
    return words.shop.amount(amount);
  } catch {
    return "";
  }
}

/** A button that downloads all of the organization's data as a single file. */
function ExportEverything() {
  const [controller, setController] = useState<AbortController | null>(null);
  const [bytes, setBytes] = useState(0);
  useEffect(() => () => controller?.abort(), [controller]);

  const run = async () => {
    const newController = new AbortController();
    setController(newController);
    setBytes(0);
    try {
      const chunks: Blob[] = [];
      let size = 0;
      for await (const chunk of createCalls({ signal: newController.signal }).exports.everything()) {
        // The browser may keep a blob outside of memory.
        chunks.push(new Blob([chunk]));
        size += chunk.byteLength;
        setBytes(size);
      }
      saveFile(buildFileName(new Date()), new Blob(chunks, { type: "application/zip" }));
      showToast(everythingWords.done);
    } catch (error) {
      if (!newController.signal.aborted) showError(error);
    }
    setController(null);
  };

  return (
    <section class="panel padded stack" aria-label={everythingWords.title}>
      <h2>{everythingWords.title}</h2>
      <p>{everythingWords.what}</p>
      <p class="hint">{everythingWords.care}</p>
      {controller !== null && (
        <p role="status">{everythingWords.soFar(megabytes.format(bytes / MEGABYTE))}</p>
      )}
      <div class="row">
        {controller === null ? (
          <Button text={everythingWords.verb} onClick={() => void run()} />
        ) : (
          <Button text={everythingWords.cancel} onClick={() => controller.abort()} />
        )}
      </div>
    </section>
  );
}

/** Returns the file name, which contains today's date on this device. */
function buildFileName(now: Date): string {
  const padTwo = (value: number) => String(value).padStart(2, "0");
  return `${everythingWords.fileName}-${now.getFullYear()}-${padTwo(now.getMonth() + 1)}-${padTwo(now.getDate())}.zip`;
}
