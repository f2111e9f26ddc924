import type { User } from "../../../../src/resources/user.js";
import { shownEmail } from "../../../../src/values/joined-address.js";
import { phoneNumber } from "../../../../src/values/phone.js";
import { api } from "../api/calls.js";
import { FormDialog, optionalText, text, useForm } from "../parts/form.js";
import { customer as words } from "../words/en/customer.js";
import { metadataField } from "./metadata-field.js";

const phone = optionalText(words.phone, { inputMode: "tel", autocomplete: "off" });

const fields = {
  name: optionalText(words.name, { autocomplete: "off" }),
  email: text(words.email, { inputMode: "email", autocomplete: "off" }),
  // A text without a number stays as typed: a shop may write "ask at the desk".
  phone: { ...phone, parse: (typed: string) => phoneNumber(typed) ?? phone.parse(typed) },
  externalId: optionalText(words.number, {
    hint: words.numberHint,
    autocomplete: "off",
  }),
  metadata: metadataField,
};

interface CustomerFormProps {
  /** `null` for a new one. */
  readonly customer: User | null;
  readonly onClose: () => void;
  readonly onSaved: (user: User) => void;
}

/** Adds a customer or changes one. */
export function CustomerForm({ customer, onClose, onSaved }: CustomerFormProps) {
  const email = customer === null ? null : shownEmail(customer.email);
  const form = useForm(fields, {
    saved: customer && { ...customer, email },
    send: async (sent) => {
      if (customer === null) return onSaved(await api.users.create(sent));
      // Who joined without an email goes on without one.
      const { email: typed, ...others } = sent;
      const isWithout = typed === "" && email === null;
      onSaved(await api.users.update(customer.id, isWithout ? others : sent));
    },
  });
  return (
    <FormDialog
      title={customer === null ? words.addTitle : words.editTitle}
      verb={customer === null ? words.add : words.save}
      form={form}
      onClose={onClose}
    />
  );
}
