import { useState } from "preact/hooks";
import { api } from "../api/calls.js";
import { check, FormDialog, parsedText, text, useForm } from "../components/form.js";
import { tokens as words } from "../words/en/tokens.js";
import { scopesField } from "./scopes.js";
import { type Secret, SecretDialog } from "./secret.js";

const fields = {
  name: text(words.name, { maxLength: 100, hint: words.nameHint }),
  scopes: scopesField(words.may),
  expiresAt: parsedText(words.expiresLabel, (day) => day, { type: "date" }, inAYear()),
  neverExpires: check(words.neverExpires),
  allowedAddresses: parsedText(words.usedFrom, splitList, {
    hint: words.usedFromHint,
  }),
};

/** A dialog that creates an API token with some or all of the user's scopes and then shows the token once. */
export function NewToken({ onClose, onMade }: { readonly onClose: () => void; readonly onMade: () => void }) {
  const [secret, setSecret] = useState<Secret | null>(null);
  const form = useForm(fields, {
    send: async ({ neverExpires, expiresAt, ...sent }) => {
      const end = neverExpires ? null : new Date(`${expiresAt}T23:59:59`).toISOString();
      const { token } = await api.apiTokens.create({ ...sent, expiresAt: end });
      onMade();
      setSecret({ title: words.shownTitle(sent.name), secret: token });
    },
  });
  if (secret !== null) return <SecretDialog {...secret} onClose={onClose} />;
  const isEndless = form.values.neverExpires;
  const expiry = { required: !isEndless, disabled: isEndless, ...(isEndless && { value: "" }) };
  return (
    <FormDialog title={words.newTitle} verb={words.make} form={form} isWide onClose={onClose}>
      {form.controls([], { expiresAt: expiry })}
    </FormDialog>
  );
}

/** Splits text at commas and white space; returns `null` if it is blank. */
function splitList(text: string): string[] | null {
  const parts = text.split(/[\s,]+/).filter((part) => part !== "");
  return parts.length === 0 ? null : parts;
}

/** Returns the date a year from now as the default expiry, so that a forgotten token eventually expires. */
function inAYear(): string {
  const day = new Date();
  day.setFullYear(day.getFullYear() + 1);
  return [day.getFullYear(), day.getMonth() + 1, day.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-");
}
