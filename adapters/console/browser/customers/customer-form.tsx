import { useState } from "preact/hooks";
import type { User } from "../../../../src/resources/user.js";
import { shownEmail } from "../../../../src/values/joined-address.js";
import { patch, post } from "../app/call.js";
import { Button } from "../parts/button.js";
import { CallError } from "../parts/call-error.js";
import { Dialog } from "../parts/dialog.js";
import { Field } from "../parts/field.js";
import { MetadataFields, type MetadataRow, metadataOf, rowsOf } from "./metadata-fields.js";

interface CustomerFormProps {
  /** `null` for a new one. */
  readonly customer: User | null;
  readonly onClose: () => void;
  readonly onSaved: (user: User) => void;
}

const texts = [
  { name: "name", label: "Name", mode: "text", hint: "" },
  { name: "email", label: "Email", mode: "email", hint: "" },
  { name: "phone", label: "Phone", mode: "tel", hint: "" },
  {
    name: "externalId",
    label: "Your own id",
    mode: "text",
    hint: "As your other systems know the customer.",
  },
] as const;

/** Adds a customer or changes one. What is refused is told at its field, and stays as typed. */
export function CustomerForm({ customer, onClose, onSaved }: CustomerFormProps) {
  const [values, setValues] = useState<Record<string, string>>({
    name: customer?.name ?? "",
    email: customer === null ? "" : (shownEmail(customer.email) ?? ""),
    phone: customer?.phone ?? "",
    externalId: customer?.externalId ?? "",
  });
  const [metadata, setMetadata] = useState<readonly MetadataRow[]>(() => rowsOf(customer?.metadata ?? {}));
  const [error, setError] = useState<CallError | null>(null);
  const [isBusy, setBusy] = useState(false);

  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    const orNull = (name: string) => (values[name]?.trim() === "" ? null : (values[name] ?? null));
    const email = (values.email ?? "").trim();
    // Who joined without an email goes on without one.
    const keepsNone = email === "" && customer !== null && shownEmail(customer.email) === null;
    const body = {
      ...(!keepsNone && { email }),
      name: orNull("name"),
      phone: orNull("phone"),
      externalId: orNull("externalId"),
      metadata: metadataOf(metadata),
    };
    try {
      onSaved(
        customer === null
          ? await post<User>("/v1/users", body)
          : await patch<User>(`/v1/users/${encodeURIComponent(customer.id)}`, body),
      );
    } catch (failed) {
      if (!(failed instanceof CallError)) throw failed;
      setError(failed);
      setBusy(false);
    }
  };

  const elsewhere = error !== null && !texts.some(({ name }) => name in error.fields);
  return (
    <Dialog title={customer === null ? "Add customer" : "Edit customer"} onClose={onClose} onSubmit={save}>
      {texts.map(({ name, label, mode, hint }) => (
        <Field key={name} label={label} hint={hint} error={error?.fields[name]}>
          <input
            name={name}
            inputMode={mode}
            autocomplete="off"
            value={values[name] ?? ""}
            onInput={(event) => {
              const { value } = event.currentTarget;
              setValues((before) => ({ ...before, [name]: value }));
            }}
          />
        </Field>
      ))}
      <MetadataFields rows={metadata} onChange={setMetadata} />
      {elsewhere && (
        <p class="note bad" role="alert">
          {error.message}
        </p>
      )}
      <div class="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" disabled={isBusy}>
          {customer === null ? "Add" : "Save"}
        </Button>
      </div>
    </Dialog>
  );
}
