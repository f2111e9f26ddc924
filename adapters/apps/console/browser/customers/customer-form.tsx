import { phoneNumber } from "../../../../../src/base/values/phone.js";
import type { User } from "../../../../../src/customers/schema.js";
import { api } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { FormDialog, optionalText, useForm } from "../components/form.js";
import { useLoad } from "../components/load.js";
import { customer as words } from "../words/en/customer.js";
import { metadataField } from "./metadata-field.js";

const phone = optionalText(words.phone, { inputMode: "tel", autocomplete: "off" });

const fields = {
  name: optionalText(words.name, { autocomplete: "off" }),
  email: optionalText(words.email, { inputMode: "email", autocomplete: "off" }),
  // Text that isn't a phone number is kept as typed, because a shop may write "ask at the desk".
  phone: { ...phone, parse: (typed: string) => phoneNumber(typed) ?? phone.parse(typed) },
  externalId: optionalText(words.number, {
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
    send: async (sent) =>
      onSaved(await (customer === null ? api.users.create(sent) : api.users.update(customer.id, sent))),
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
      verb={customer === null ? words.add : words.save}
      form={form}
      onClose={onClose}
    >
      {form.controls([], settings.value === null ? {} : { email })}
    </FormDialog>
  );
}
