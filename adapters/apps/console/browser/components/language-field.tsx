import { useMemo } from "preact/hooks";
import { language as own } from "../words/en/forms.js";
import { parts as words } from "../words/en/parts.js";
import { Field, Select } from "./field.js";

/** Languages to choose from. A text that is already in another one keeps it. */
const languages = [
  ...[
    "ar",
    "bg",
    "cs",
    "da",
    "de",
    "el",
    "en",
    "es",
    "et",
    "fi",
    "fr",
    "he",
    "hi",
    "hr",
    "hu",
    "id",
    "it",
    "ja",
    "ko",
  ],
  ...[
    "lt",
    "lv",
    "nb",
    "nl",
    "pl",
    "pt",
    "pt-BR",
    "ro",
    "ru",
    "sk",
    "sl",
    "sr",
    "sv",
    "th",
    "tr",
    "uk",
    "vi",
    "zh",
  ],
];

interface LanguageFieldProps {
  readonly value: string;
  readonly hint: string | undefined;
  readonly error: string | undefined;
  readonly onChoose: (language: string) => void;
}

/** A choice of the language of a text, by its name. */
export function LanguageField({ value, hint, error, onChoose }: LanguageFieldProps) {
  const choices = useMemo(() => {
    const names = new Intl.DisplayNames([own], { type: "language" });
    const codes = value === "" || languages.includes(value) ? languages : [value, ...languages];
    return codes
      .map((code) => [code, readName(names, code)] as const)
      .toSorted(([, one], [, other]) => one.localeCompare(other, own));
  }, [value]);
  return (
    <Field label={words.language} hint={hint} error={error}>
      <Select
        value={value}
        choices={value === "" ? [["", words.noLanguage] as const, ...choices] : choices}
        onChoose={onChoose}
      />
    </Field>
  );
}

/** Returns a language's name, or its code if that isn't valid. */
function readName(names: Intl.DisplayNames, code: string): string {
  try {
    return names.of(code) ?? code;
  } catch {
    return code;
  }
}
