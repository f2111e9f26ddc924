import { useState } from "preact/hooks";
import type { Template } from "../../../../src/resources/template.js";
import { patch, post } from "../app/call.js";
import { Button } from "../parts/button.js";
import { CallError } from "../parts/call-error.js";
import { Dialog } from "../parts/dialog.js";
import { Field } from "../parts/field.js";
import { StampCard } from "../parts/stamp-card.js";

interface TemplateFormProps {
  /** `null` for a new one. */
  readonly template: Template | null;
  readonly onClose: () => void;
  readonly onSaved: (template: Template) => void;
}

/** Makes a card or changes one, and shows it as its owners will see it. */
export function TemplateForm({ template, onClose, onSaved }: TemplateFormProps) {
  const [name, setName] = useState(template?.name ?? "");
  const [type, setType] = useState<Template["type"]>(template?.type ?? "STAMP_CARD");
  const [stamps, setStamps] = useState(String(template?.maxStamps ?? 10));
  const [error, setError] = useState<CallError | null>(null);
  const [isBusy, setBusy] = useState(false);
  const maxStamps = type === "STAMP_CARD" ? Number(stamps) : null;
  const shown = maxStamps === null ? null : Math.min(Math.max(Math.floor(maxStamps) || 1, 1), 100);

  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    const fields = { name: name.trim(), ...(maxStamps !== null && { maxStamps }) };
    try {
      onSaved(
        template === null
          ? await post<Template>("/v1/templates", { ...fields, type })
          : await patch<Template>(`/v1/templates/${template.id}`, fields),
      );
    } catch (failed) {
      if (!(failed instanceof CallError)) throw failed;
      setError(failed);
      setBusy(false);
    }
  };

  const elsewhere = error !== null && error.fields.name === undefined && error.fields.maxStamps === undefined;
  return (
    <Dialog title={template === null ? "New card" : "Edit card"} isWide onClose={onClose} onSubmit={save}>
      <div class="halves">
        <div class="stack">
          <Field label="Name" error={error?.fields.name}>
            <input maxLength={150} value={name} onInput={(event) => setName(event.currentTarget.value)} />
          </Field>
          {template === null && (
            <Field label="Kind">
              <select
                value={type}
                onChange={(event) =>
                  setType(event.currentTarget.value === "LOYALTY_CARD" ? "LOYALTY_CARD" : "STAMP_CARD")
                }
              >
                <option value="STAMP_CARD">Stamp card</option>
                <option value="LOYALTY_CARD">Member card, without stamps</option>
              </select>
            </Field>
          )}
          {type === "STAMP_CARD" && (
            <Field
              label="Stamps until the reward"
              hint={template === null ? "1 to 100" : "1 to 100. Cards that customers have keep their number."}
              error={error?.fields.maxStamps}
            >
              <input
                type="number"
                inputMode="numeric"
                min="1"
                max="100"
                value={stamps}
                onInput={(event) => setStamps(event.currentTarget.value)}
              />
            </Field>
          )}
        </div>
        <section class="stack tight" aria-label="Preview">
          <StampCard name={name || "Your card"} maxStamps={shown} stamps={0} />
          {shown !== null && (
            <>
              <StampCard name={name || "Your card"} maxStamps={shown} stamps={Math.ceil(shown / 2) % shown} />
              <StampCard name={name || "Your card"} maxStamps={shown} stamps={0} rewards={1} />
            </>
          )}
        </section>
      </div>
      {elsewhere && (
        <p class="note bad" role="alert">
          {error.message}
        </p>
      )}
      <div class="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" disabled={isBusy}>
          {template === null ? "Make card" : "Save"}
        </Button>
      </div>
    </Dialog>
  );
}
