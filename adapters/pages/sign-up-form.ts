import { createLoyaltyError, isLoyaltyError } from "../../src/errors.js";
import { phoneNumber } from "../../src/values/phone.js";
import type { Parameters } from "../auth/oauth/parameters.js";
import type { Texts } from "./languages/texts.js";

/** The form to join by, as it was typed. */
export interface SignUpForm {
  readonly name: string;
  readonly email: string;
  /** The number as it is stored; what was typed where that is no number. */
  readonly phone: string;
  readonly consents: boolean;
  /** True when the box for news is ticked. */
  readonly wantsNews: boolean;
  /** True when the box is ticked that has the phone remember the card. */
  readonly remembers: boolean;
  /** The idempotency key of the form: sending it twice makes one card. */
  readonly key: string;
}

/** The errors of the form by its fields, in the language of the page. */
export type SignUpErrors = Partial<Record<"name" | "email" | "phone" | "consent", string>>;

const MAX = { name: 150, email: 254 } as const;

const emailForm = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

export function parseSignUpForm(sent: Parameters, newKey: () => string): SignUpForm {
  const text = (name: string) => sent.find(name)?.trim() ?? "";
  const key = text("key");
  const phone = text("phone");
  return {
    name: text("name"),
    email: text("email"),
    phone: phoneNumber(phone) ?? phone,
    consents: text("consent") !== "",
    wantsNews: text("news") !== "",
    remembers: text("remember") !== "",
    key: /^[0-9A-Za-z]{16,64}$/.test(key) ? key : newKey(),
  };
}

export function validateForm({ name, email, phone, consents }: SignUpForm, texts: Texts): SignUpErrors {
  const errors: SignUpErrors = {};
  if (name === "") errors.name = texts.nameMissing;
  else if ([...name].length > MAX.name) errors.name = texts.tooLong;
  if (email === "" && phone === "") errors.email = texts.contactMissing;
  else if (email !== "" && !emailForm.test(email)) errors.email = texts.emailWrong;
  else if (email.length > MAX.email) errors.email = texts.tooLong;
  if (phone !== "" && phoneNumber(phone) === null) errors.phone = texts.phoneWrong;
  if (!consents) errors.consent = texts.consentMissing;
  return errors;
}

/** Returns the errors of the service by field, in the language of the page. @throws every other error. */
export function toFormErrors(error: unknown, texts: Texts): SignUpErrors {
  if (!isLoyaltyError(error) || error.detail.code !== "validation_failed") throw error;
  const wrong = Object.keys(error.detail.fields).join(" ");
  if (wrong.includes("email")) return { email: texts.emailWrong };
  if (wrong.includes("phone")) return { phone: texts.phoneWrong };
  if (wrong.includes("name")) return { name: texts.nameMissing };
  throw createLoyaltyError("internal_error", null, { cause: error });
}
