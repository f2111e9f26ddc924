import { useState } from "preact/hooks";
import type { CreatedApiToken } from "../../../../src/resources/api-token.js";
import type { Scope } from "../../../../src/scopes.js";
import { post } from "../app/call.js";
import { Field } from "../parts/field.js";
import { MakingDialog } from "./making-dialog.js";
import { ScopeChoice } from "./scope-choice.js";

interface NewTokenProps {
  readonly onClose: () => void;
  readonly onMade: () => void;
}

/** Makes a token that may do no more than who makes it, and shows it this once. */
export function NewToken({ onClose, onMade }: NewTokenProps) {
  const [name, setName] = useState("");
  const [granted, setGranted] = useState<ReadonlySet<Scope>>(new Set());
  const [expiry, setExpiry] = useState(inAYear);
  const [neverExpires, setNeverExpires] = useState(false);
  const [addresses, setAddresses] = useState("");

  const make = async () => {
    const expiresAt = neverExpires ? null : new Date(`${expiry}T23:59:59`).toISOString();
    const input = {
      name: name.trim(),
      scopes: [...granted],
      expiresAt,
      allowedAddresses: listed(addresses),
    };
    const { token } = await post<CreatedApiToken>("/v1/api-keys", input);
    onMade();
    return { title: `The token “${input.name}”`, secret: token };
  };
  return (
    <MakingDialog
      title="New API token"
      verb="Make token"
      fields={["name", "scopes", "expiresAt", "allowedAddresses"]}
      make={make}
      onClose={onClose}
    >
      {(errorAt) => (
        <>
          <Field label="Name" hint="What it is for, such as “till of the bakery”." error={errorAt("name")}>
            <input maxLength={100} value={name} onInput={(event) => setName(event.currentTarget.value)} />
          </Field>
          <ScopeChoice
            legend="What it may do"
            chosen={granted}
            error={errorAt("scopes")}
            onChange={setGranted}
          />
          <Field label="Expires" error={errorAt("expiresAt")}>
            <input
              type="date"
              required={!neverExpires}
              disabled={neverExpires}
              value={neverExpires ? "" : expiry}
              onInput={(event) => setExpiry(event.currentTarget.value)}
            />
          </Field>
          <label class="check">
            <input type="checkbox" checked={neverExpires} onChange={() => setNeverExpires(!neverExpires)} />
            <span>It never expires, until somebody revokes it</span>
          </label>
          <Field
            label="Used from"
            hint="IP addresses and networks, such as 192.0.2.0/24. Empty: everywhere."
            error={errorAt("allowedAddresses")}
          >
            <input value={addresses} onInput={(event) => setAddresses(event.currentTarget.value)} />
          </Field>
        </>
      )}
    </MakingDialog>
  );
}

/** What is in a field, without commas and white space; `null` for nothing. */
function listed(text: string): string[] | null {
  const parts = text.split(/[\s,]+/).filter((part) => part !== "");
  return parts.length === 0 ? null : parts;
}

/** The day in a year, as the field has it: a token that nobody looks after any more should end some day. */
function inAYear(): string {
  const day = new Date();
  day.setFullYear(day.getFullYear() + 1);
  return [day.getFullYear(), day.getMonth() + 1, day.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-");
}
