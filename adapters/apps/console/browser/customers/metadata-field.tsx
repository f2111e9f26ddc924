import type { JsonValue, Metadata } from "../../../../../src/base/fields/metadata.js";
import { hasExactNumbers } from "../../../../../src/base/values/json-numbers.js";
import { Button } from "../components/button.js";
import { TextInput } from "../components/field.js";
import type { FormField } from "../components/form.js";
import { Icon } from "../components/icons.js";
import { notes as words } from "../words/en/customer.js";

/** A row of the form for one metadata key. The console calls it a note. */
interface MetadataRow {
  readonly id: string;
  readonly key: string;
  readonly value: string;
  /** A nested value that another program stored and that the form leaves unchanged, or `null` if there is none. */
  readonly kept: JsonValue;
}

/** A form field for a customer's metadata, with one row per key. */
export const metadataField: FormField<readonly MetadataRow[], Metadata> = {
  initial: [],
  format: (metadata) =>
    Object.entries(metadata).map(([key, value]) =>
      newRow(key, isTree(value) ? "" : formatMetadataValue(value), isTree(value) ? value : null),
    ),
  // `Object.fromEntries` also handles keys such as `__proto__` correctly.
  parse: (rows) =>
    Object.fromEntries(
      rows.filter(({ key }) => key !== "").map(({ key, value, kept }) => [key, kept ?? readValue(value)]),
    ),
  control: ({ value, error, onChange }) => <MetadataRows rows={value} error={error} onChange={onChange} />,
};

const newRow = (key = "", value = "", kept: JsonValue = null): MetadataRow => ({
  id: crypto.randomUUID(),
  ...{ key, value, kept },
});

const isTree = (value: JsonValue): boolean => typeof value === "object" && value !== null;

/**
 * Formats a value for editing. A string is quoted only if it would otherwise be parsed as something else. Other values become JSON.
 */
function formatMetadataValue(value: JsonValue): string {
  return typeof value === "string" && readValue(value) === value ? value : JSON.stringify(value);
}

function readValue(text: string): JsonValue {
  if (!/^\s*(?:[[{"]|-?[0-9]|true\s*$|false\s*$|null\s*$)/.test(text)) return text;
  try {
    return hasExactNumbers(text) ? JSON.parse(text) : text;
  } catch {
    return text;
  }
}

interface MetadataRowsProps {
  readonly rows: readonly MetadataRow[];
  readonly error: string | undefined;
  readonly onChange: (rows: readonly MetadataRow[]) => void;
}

function MetadataRows({ rows, error, onChange }: MetadataRowsProps) {
  const change = (id: string, part: Partial<MetadataRow>) =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...part } : row)));
  return (
    <fieldset class="metadata">
      <legend class="label">{words.title}</legend>
      {rows
        .filter(({ kept }) => kept === null)
        .map(({ id, key, value }) => (
          <div key={id} class="row">
            <TextInput
              class="grow"
              aria-label={words.name}
              placeholder={words.nameExample}
              value={key}
              onText={(text) => change(id, { key: text })}
            />
            <TextInput
              class="grow"
              aria-label={words.value(key || words.withoutName)}
              placeholder={words.valueExample}
              value={value}
              onText={(text) => change(id, { value: text })}
            />
            <Button
              label={words.remove(key)}
              kind="plain"
              onClick={() => onChange(rows.filter((row) => row.id !== id))}
            >
              <Icon name="close" />
            </Button>
          </div>
        ))}
      {error !== undefined && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
      <Button icon="plus" text={words.add} kind="plain" onClick={() => onChange([...rows, newRow()])} />
    </fieldset>
  );
}
