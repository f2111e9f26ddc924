import { createLoyaltyError, isLoyaltyError } from "../../../src/base/errors.js";
import { phoneNumber } from "../../../src/base/values/phone.js";
import type { Texts } from "../../delivery/languages/texts.js";
import type { Parameters } from "../../http/auth/oauth/form.js";

/** A submitted sign-up form's values, which might be invalid. */
export interface SignUpForm {
  /** The email address or phone number as the customer typed it. */
  readonly contact: string;
  /** The email address, or an empty string if the customer typed a phone number. */
  readonly email: string;
  /** The phone number in its stored format, or an empty string if the customer typed an email address. */
  readonly phone: string;
  /** The customer's name, or an empty string if they gave none. */
  readonly name: string;
  /** Whether the customer checked the box for news and offers. */
  readonly wantsNews: boolean;
  /** Whether the customer checked the box that lets the phone remember the card. */
  readonly remembersCard: boolean;
  /** The form's idempotency key. It prevents a second card if the form is submitted twice. */
  readonly key: string;
}

/** Error messages in the page's language, keyed by form field. */
export type SignUpErrors = Partial<Record<"contact" | "name", string>>;

const MAX_LENGTHS = { name: 150, email: 254 } as const;

const emailPattern = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

export function parseSignUpForm(parameters: Parameters, newKey: () => string): SignUpForm {
  const readText = (name: string) => parameters.find(name)?.trim() ?? "";
  const key = readText("key");
  const contact = readText("contact");
  const isEmail = contact.includes("@");
  return {
    contact,
    email: isEmail ? contact : "",
    phone: isEmail ? "" : (phoneNumber(contact) ?? ""),
    name: readText("name"),
    wantsNews: readText("news") !== "",
    remembersCard: readText("remember") !== "",
    key: /^[0-9A-Za-z]{16,64}$/.test(key) ? key : newKey(),
  };
}

export function validateForm({ contact, email, phone, name }: SignUpForm, texts: Texts): SignUpErrors {
  const errors: SignUpErrors = {};
  if ([...name].length > MAX_LENGTHS.name) errors.name = texts.tooLong;
  if (email.length > MAX_LENGTHS.email) errors.contact = texts.tooLong;
  else if (email !== "" && !emailPattern.test(email)) errors.contact = texts.emailWrong;
  else if (email === "" && phone === "")
    errors.contact = looksLikePhone(contact) ? texts.phoneWrong : texts.contactMissing;
  return errors;
}

/** Returns whether someone who typed this probably meant a phone number. */
function looksLikePhone(contact: string): boolean {
  return contact !== "" && (/\p{Nd}/u.test(contact) || !/\p{L}/u.test(contact));
}

/**
 * Converts a validation error from the service to form errors in the page's language.
 * @throws the error itself if it isn't a validation error, or an internal error if the validation error isn't about a form field.
 */
export function toFormErrors(error: unknown, texts: Texts): SignUpErrors {
  if (!isLoyaltyError(error) || error.detail.code !== "validation_failed") throw error;
  const invalidFields = Object.keys(error.detail.fields).join(" ");
  if (invalidFields.includes("email")) return { contact: texts.emailWrong };
  if (invalidFields.includes("phone")) return { contact: texts.phoneWrong };
  if (invalidFields.includes("name")) return { name: texts.nameWrong };
  throw createLoyaltyError("internal_error", null, { cause: error });
}
