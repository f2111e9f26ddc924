import type { JsonValue, Metadata } from "../../../../src/resources/fields/metadata.js";
import { Button } from "../parts/button.js";
import { Icon } from "../parts/icons.js";

/** One key of the metadata, as it is typed. */
export interface MetadataRow {
  readonly id: string;
  readonly key: string;
  readonly value: string;
}

const newRow = (key = "", value = ""): MetadataRow => ({ id: crypto.randomUUID(), key, value });

/** Texts stand as they are; other values as JSON. */
export function rowsOf(metadata: Metadata): MetadataRow[] {
  return Object.entries(metadata).map(([key, value]) => newRow(key, textOf(value)));
}

export function metadataOf(rows: readonly MetadataRow[]): Metadata {
  // A key such as __proto__ is one like others.
  return Object.fromEntries(
    rows.filter(({ key }) => key !== "").map(({ key, value }) => [key, readValue(value)]),
  );
}

/** A text that would be read as something else is in quotes. */
function textOf(value: JsonValue): string {
  return typeof value === "string" && readValue(value) === value ? value : JSON.stringify(value);
}

function readValue(text: string): JsonValue {
  if (!/^\s*(?:[[{"]|-?[0-9]|true\s*$|false\s*$|null\s*$)/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

interface MetadataFieldsProps {
  readonly rows: readonly MetadataRow[];
  readonly onChange: (rows: readonly MetadataRow[]) => void;
}

export function MetadataFields({ rows, onChange }: MetadataFieldsProps) {
  const change = (id: string, part: Partial<MetadataRow>) =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...part } : row)));
  return (
    <fieldset class="metadata">
      <legend class="label">Metadata</legend>
      {rows.map(({ id, key, value }) => (
        <div key={id} class="row">
          <input
            class="grow"
            aria-label="Key"
            placeholder="key"
            value={key}
            onInput={(event) => change(id, { key: event.currentTarget.value })}
          />
          <input
            class="grow"
            aria-label={`Value of ${key || "the key"}`}
            placeholder="value"
            value={value}
            onInput={(event) => change(id, { value: event.currentTarget.value })}
          />
          <Button
            label={`Remove ${key || "the key"}`}
            kind="plain"
            onClick={() => onChange(rows.filter((row) => row.id !== id))}
          >
            <Icon name="close" />
          </Button>
        </div>
      ))}
      <Button kind="plain" onClick={() => onChange([...rows, newRow()])}>
        <Icon name="plus" /> Add a key
      </Button>
    </fieldset>
  );
}
