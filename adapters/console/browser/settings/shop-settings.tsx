import type { Settings, UpdateSettings } from "../../../../src/resources/settings.js";
import { api } from "../api/calls.js";
import { may } from "../api/session.js";
import { Unsaved } from "../app/unsaved.js";
import { logoSize } from "../parts/cropped-picture.js";
import { choice, type FormField, optionalText, parsedText, useForm } from "../parts/form.js";
import { useLoad } from "../parts/load.js";
import { PictureField } from "../parts/picture-field.js";
import { Complaint, Loading } from "../parts/states.js";
import { tell } from "../parts/toasts.js";
import { SaveRow } from "./save-row.js";

const logo: FormField<string | null, string | null> = {
  initial: null,
  format: (saved) => saved,
  parse: (picture) => picture,
  control: ({ value, error, onChange }) => (
    <PictureField
      label="Logo"
      size={logoSize}
      hint="On pages, posters and mails. A card with a logo of its own keeps that in mails."
      picture={value}
      error={error}
      onChange={onChange}
    />
  ),
};

/** The languages that pages and mails have texts in, each by its own name. */
const languages = ["en", "de", "es", "fr", "pt"];

const languageField = (saved: string | null) =>
  choice("Language where a customer’s own is not known", [
    ["", "English, unless set"],
    ...[...new Set([...languages, ...(saved === null ? [] : [saved])])].map(
      (tag) => [tag, nameOf(tag, "language", tag)] as const,
    ),
  ]);

const fieldsFor = ({ language }: Settings) => ({
  name: optionalText("Name of the shop", {
    maxLength: 78,
    autocomplete: "organization",
    hint: "Customers read it on the page where they join, on their card’s page, on posters, and as the sender of mails that have no other.",
  }),
  logo,
  language: languageField(language),
  currency: parsedText("Currency", (typed): string | null => typed.trim().toUpperCase() || null, {
    list: "currencies",
    autocomplete: "off",
    spellcheck: false,
    hint: "What your texts name amounts in, such as EUR. Programs that write for you read it here.",
  }),
});

/** Edits what customers see of the shop wherever they meet it. */
export function ShopSettings() {
  const settings = useLoad("shop", (calls) => calls.settings.get());
  return (
    <Loading of={settings} height="26rem">
      {/* What was saved is another picture than what was chosen: the form begins anew with it. */}
      {(saved) => <ShopForm key={saved.updatedAt} saved={saved} onSaved={settings.set} />}
    </Loading>
  );
}

interface ShopFormProps {
  readonly saved: Settings;
  readonly onSaved: (settings: Settings) => void;
}

function ShopForm({ saved, onSaved }: ShopFormProps) {
  const fields = fieldsFor(saved);
  const form = useForm(fields, {
    saved,
    send: async (sent) => {
      onSaved(await api.settings.update(changesOf(saved, sent)));
      tell("Saved");
    },
  });
  const { name, logo: picture, language, currency } = form.values;
  const typed = {
    name: fields.name.parse(name),
    logo: picture,
    language,
    currency: fields.currency.parse(currency),
  };
  const message = form.messageBeside([]);
  return (
    <form class="panel padded stack" aria-label="Shop" onSubmit={form.submit} noValidate>
      <Unsaved isDirty={Object.keys(changesOf(saved, typed)).length > 0} />
      <fieldset class="plain stack" disabled={!may("settings:write")}>
        <legend class="unseen">Shop</legend>
        {form.controls([])}
      </fieldset>
      <datalist id="currencies">
        {Intl.supportedValuesOf("currency").map((code) => (
          <option key={code} value={code} label={nameOf(code, "currency", "en")} />
        ))}
      </datalist>
      {typed.currency !== null && <p class="quiet">{amountText(typed.currency)}</p>}
      {message !== null && <Complaint>{message}</Complaint>}
      <SaveRow scope="settings:write" isBusy={form.isBusy} />
    </form>
  );
}

type Edited = Pick<Settings, "name" | "logo" | "currency"> & { readonly language: string };

/** The fields that differ from what is saved: others may have changed the rest meanwhile. */
function changesOf(saved: Settings, { name, logo: picture, language, currency }: Edited): UpdateSettings {
  const spoken = language === "" ? null : language;
  return {
    ...(name !== saved.name && { name }),
    ...(picture !== saved.logo && { logo: picture }),
    ...(spoken !== saved.language && { language: spoken }),
    ...(currency !== saved.currency && { currency }),
  };
}

function nameOf(code: string, type: "language" | "currency", language: string): string {
  return new Intl.DisplayNames([language], { type }).of(code) ?? code;
}

/** Says what an amount looks like; nothing for what is no code of a currency. */
function amountText(currency: string): string {
  try {
    const amount = new Intl.NumberFormat(undefined, { style: "currency", currency }).format(4.5);
    return `An amount reads ${amount}.`;
  } catch {
    return "";
  }
}
