import type { JsonValue, Metadata } from "../../../../../src/base/fields/metadata.js";
import { hasExactNumbers } from "../../../../../src/base/values/metadata-value.js";
import { phoneNumber } from "../../../../../src/base/values/phone.js";
import type { User } from "../../../../../src/customers/schema.js";
import { api } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { Button } from "../components/button.js";
import { TextInput } from "../components/field.js";
import { createOptionalTextField, FormDialog, type FormField, useForm } from "../components/form.js";
import { Icon } from "../components/icons.js";
import { useLoad } from "../components/load.js";
import { notes as notesWords, customer as words } from "../words/en/customer.js";

/** A row of the form for one metadata key. The console calls it a note. */
interface MetadataRow {
  readonly id: string;
  readonly key: string;
  readonly value: string;
  /** A nested value that another program stored and that the form leaves unchanged, or `null` if there is none. */
  readonly storedValue: JsonValue;
}

/** A form field for a customer's metadata, with one row per key. */
const metadataField: FormField<readonly MetadataRow[], Metadata> = {
  initial: [],
  format: (metadata) =>
    Object.entries(metadata).map(([key, value]) =>
      createRow(key, isTree(value) ? "" : formatMetadataValue(value), isTree(value) ? value : null),
    ),
  // `Object.fromEntries` also handles keys such as `__proto__` correctly.
  parse: (rows) =>
    Object.fromEntries(
      rows
        .filter(({ key }) => key !== "")
        .map(({ key, value, storedValue }) => [key, storedValue ?? readValue(value)]),
    ),
  control: ({ value, error, onChange }) => <MetadataRows rows={value} error={error} onChange={onChange} />,
};

const createRow = (key = "", value = "", storedValue: JsonValue = null): MetadataRow => ({
  id: crypto.randomUUID(),
  ...{ key, value, storedValue },
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
      <legend class="label">{notesWords.title}</legend>
      {rows
        .filter(({ storedValue }) => storedValue === null)
        .map(({ id, key, value }) => (
          <div key={id} class="row">
            <TextInput
              class="grow"
              aria-label={notesWords.name}
              placeholder={notesWords.nameExample}
              value={key}
              onText={(text) => change(id, { key: text })}
            />
            <TextInput
              class="grow"
              aria-label={notesWords.value(key || notesWords.withoutName)}
              placeholder={notesWords.valueExample}
              value={value}
              onText={(text) => change(id, { value: text })}
            />
            <Button
              label={notesWords.remove(key)}
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
      <Button
        icon="plus"
        text={notesWords.add}
        kind="plain"
        onClick={() => onChange([...rows, createRow()])}
      />
    </fieldset>
  );
}

const phone = createOptionalTextField(words.phone, { inputMode: "tel", autocomplete: "off" });

const fields = {
  name: createOptionalTextField(words.name, { autocomplete: "off" }),
  email: createOptionalTextField(words.email, { inputMode: "email", autocomplete: "off" }),
  // Text that isn't a phone number is kept as typed, because a shop may write "ask at the desk".
  phone: { ...phone, parse: (input: string) => phoneNumber(input) ?? phone.parse(input) },
  externalId: createOptionalTextField(words.number, {
    hint: words.numberHint,
    autocomplete: "off",
  }),
  metadata: metadataField,
};

interface CustomerFormProps {
  /** The customer to edit, or `null` to create a new one. */
  readonly customer: User | null;
  readonly onClose: () => void;
  readonly onSaved: (user: User) => void;
}

export function CustomerForm({ customer, onClose, onSaved }: CustomerFormProps) {
  const form = useForm(fields, {
    saved: customer,
    send: async (values) =>
      onSaved(await (customer === null ? api.users.create(values) : api.users.update(customer.id, values))),
  });
  const settings = useLoad("settings", async (calls) =>
    hasScopes("settings:read") ? calls.settings.get() : null,
  );
  const email = settings.value?.requiresEmail
    ? { required: customer?.email !== null }
    : { hint: words.emailHint };
  return (
    <FormDialog
      title={customer === null ? words.addTitle : words.editTitle}
      submitText={customer === null ? words.add : words.save}
      form={form}
      onClose={onClose}
    >
      {form.controls([], settings.value === null ? {} : { email })}
    </FormDialog>
  );
}
