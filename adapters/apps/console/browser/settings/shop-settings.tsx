import { useEffect, useState } from "preact/hooks";
import type { Settings, UpdateSettings } from "../../../../../src/settings/schema.js";
import { api, createCalls } from "../api/calls.js";
import { applyShopSettings, hasScopes } from "../api/session.js";
import { UnsavedChanges } from "../app/unsaved.js";
import { Button } from "../components/button.js";
import type { Choices } from "../components/choices.js";
import { saveFile } from "../components/download.js";
import { ErrorText, Loading } from "../components/feedback.js";
import {
  createCheckboxField,
  createOptionalTextField,
  createSelectField,
  type FormField,
  useForm,
} from "../components/form.js";
import { useLoad } from "../components/load.js";
import { PictureField } from "../components/picture-field.js";
import { logoSize } from "../components/picture-size.js";
import { suggestTimeZone } from "../components/shop-time-zone.js";
import { showError, showToast } from "../components/toasts.js";
import { getBrowserTimeZone } from "../components/zoned-time.js";
import { showStepToast } from "../overview/step-toast.js";
import { locale } from "../words/en/forms.js";
import { settingsTabs as tabs } from "../words/en/sections.js";
import { settings as words } from "../words/en/settings.js";
import { timeZoneWords } from "../words/en/time-zone.js";
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
    saved === "en" ? [saved, formatLanguageName(saved)] : ["", words.shop.noLanguage],
    ...others.map((tag) => [tag, formatLanguageName(tag)] as const),
  ]);
};

/** Currencies to list first, each with the time zones of the devices that get it suggested. */
const commonCurrencies = [
  [
    "EUR",
    /^Europe\/(Amsterdam|Athens|Berlin|Bratislava|Brussels|Dublin|Helsinki|Lisbon|Ljubljana|Luxembourg|Madrid|Malta|Paris|Riga|Rome|Sofia|Tallinn|Vienna|Vilnius|Zagreb)$|^Asia\/Nicosia$/,
  ],
  [
    "USD",
    /^America\/(New_York|Chicago|Denver|Los_Angeles|Phoenix|Detroit|Boise|Anchorage|Indiana\/.+)$|^Pacific\/Honolulu$/,
  ],
  ["GBP", /^Europe\/London$/],
  ["CHF", /^Europe\/(Zurich|Vaduz)$/],
  ["AUD", /^Australia\//],
  ["BRL", /^America\/Sao_Paulo$/],
  ["CAD", /^America\/(Toronto|Vancouver|Edmonton|Winnipeg|Regina|Halifax|St_Johns)$/],
  ["MXN", /^America\/(Mexico_City|Monterrey|Tijuana|Cancun)$/],
] as const;

const currencyNames = new Intl.DisplayNames([locale], { type: "currency" });

/** Lists all currencies with their names, the common ones first with their symbols, such as "Euro (€)". */
function listCurrencies(): Choices<string> {
  const formatChoice = (code: string, sign: string) =>
    [code, `${currencyNames.of(code) ?? code} (${sign})`] as const;
  const common = commonCurrencies.map(([code]) => formatChoice(code, findCurrencySymbol(code)));
  const rest = Intl.supportedValuesOf("currency")
    .filter((code) => common.every(([each]) => each !== code))
    .map((code) => formatChoice(code, code))
    .sort(([, one], [, other]) => one.localeCompare(other, locale));
  return [...common, ...rest];
}

function findCurrencySymbol(currency: string): string {
  const format = new Intl.NumberFormat(locale, {
    style: "currency",
    currency,
    currencyDisplay: "narrowSymbol",
  });
  return format.formatToParts(0).find(({ type }) => type === "currency")?.value ?? currency;
}

const currencies = listCurrencies();

const createCurrencyField = (saved: string | null) =>
  createSelectField(words.shop.currency, [
    ["", words.shop.noCurrency],
    ...currencies,
    ...(saved === null || currencies.some(([code]) => code === saved) ? [] : [[saved, saved] as const]),
  ]);

/**
 * Returns the currency that the form shows at first. A shop that is about to get its first name is suggested the one that is used
 * where this device is.
 */
function pickFirstCurrency({ name, currency }: Settings): string | null {
  if (name !== null) return currency;
  const timeZone = getBrowserTimeZone();
  return currency ?? commonCurrencies.find(([, zones]) => zones.test(timeZone))?.[0] ?? null;
}

const createFields = ({ language, currency }: Settings) => ({
  name: createOptionalTextField(words.shop.name, {
    maxLength: 78,
    autocomplete: "organization",
    hint: words.shop.nameHint,
  }),
  logo,
  language: createLanguageField(language),
  currency: createCurrencyField(currency),
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
  const displayedSettings = { ...saved, currency: pickFirstCurrency(saved) };
  const form = useForm(fields, {
    saved: displayedSettings,
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
    currency,
    requiresEmail,
  };
  const message = form.getFormMessage([]);
  return (
    <form class="panel padded stack" aria-label={tabs.shop} onSubmit={form.submit} noValidate>
      <UnsavedChanges
        isDirty={Object.keys(pickChanges(displayedSettings, currentValues)).length > 0}
        isBusy={form.isBusy}
      />
      <fieldset class="plain stack" disabled={!hasScopes("settings:write")}>
        <legend class="unseen">{tabs.shop}</legend>
        {form.controls(
          [],
          timeZone === null
            ? {}
            : { name: { hint: `${words.shop.nameHint} ${timeZoneWords.suggested(timeZone)}` } },
        )}
      </fieldset>
      {message !== null && <ErrorText>{message}</ErrorText>}
      <SaveRow scope="settings:write" isBusy={form.isBusy} />
    </form>
  );
}

type FormValues = Pick<Settings, "name" | "logo" | "requiresEmail"> &
  Readonly<Record<"language" | "currency", string>>;

/** Returns only the changed fields, because other users may have changed the rest in the meantime. */
function pickChanges(
  saved: Settings,
  { name, logo: picture, language, currency, requiresEmail }: FormValues,
): UpdateSettings {
  const selectedLanguage = language === "" ? null : language;
  const selectedCurrency = currency === "" ? null : currency;
  return {
    ...(name !== saved.name && { name }),
    ...(picture !== saved.logo && { logo: picture }),
    ...(selectedLanguage !== saved.language && { language: selectedLanguage }),
    ...(selectedCurrency !== saved.currency && { currency: selectedCurrency }),
    ...(requiresEmail !== saved.requiresEmail && { requiresEmail }),
  };
}

function formatLanguageName(language: string): string {
  return new Intl.DisplayNames([language], { type: "language" }).of(language) ?? language;
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
