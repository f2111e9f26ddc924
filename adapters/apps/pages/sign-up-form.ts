import { createLoyaltyError, isLoyaltyError } from "../../../src/base/errors.js";
import { phoneNumber } from "../../../src/base/values/phone.js";
import type { Texts } from "../../delivery/languages/texts.js";
import type { Parameters } from "../../http/auth/oauth/parameters.js";

/** A submitted sign-up form's values, which might be invalid. */
export interface SignUpForm {
  readonly name: string;
  readonly email: string;
  /** The phone number in its stored format, or as the customer typed it if it isn't valid. */
  readonly phone: string;
  readonly consents: boolean;
  /** Whether the customer checked the box for news and offers. */
  readonly wantsNews: boolean;
  /** Whether the customer checked the box that lets the phone remember the card. */
  readonly remembers: boolean;
  /** The form's idempotency key. It prevents a second card if the form is submitted twice. */
  readonly key: string;
}

/** Error messages in the page's language, keyed by form field. */
export type SignUpErrors = Partial<Record<"name" | "email" | "phone" | "consent", string>>;

const MAX = { name: 150, email: 254 } as const;

const emailForm = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

export function parseSignUpForm(parameters: Parameters, newKey: () => string): SignUpForm {
  const readText = (name: string) => parameters.find(name)?.trim() ?? "";
  const key = readText("key");
  const phone = readText("phone");
  return {
    name: readText("name"),
    email: readText("email"),
    phone: phoneNumber(phone) ?? phone,
    consents: readText("consent") !== "",
    wantsNews: readText("news") !== "",
    remembers: readText("remember") !== "",
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

/**
 * Converts a validation error from the service to form errors in the page's language.
 * @throws the error itself if it isn't a validation error, or an internal error if the validation error isn't about a form field.
 */
export function toFormErrors(error: unknown, texts: Texts): SignUpErrors {
  if (!isLoyaltyError(error) || error.detail.code !== "validation_failed") throw error;
  const invalidFields = Object.keys(error.detail.fields).join(" ");
  if (invalidFields.includes("email")) return { email: texts.emailWrong };
  if (invalidFields.includes("phone")) return { phone: texts.phoneWrong };
  if (invalidFields.includes("name")) return { name: texts.nameMissing };
  throw createLoyaltyError("internal_error", null, { cause: error });
}
