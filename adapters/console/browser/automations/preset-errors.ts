import type { CallError } from "../api/call-error.js";
import { ready } from "../words/en/ready-automations.js";
import type { PresetKind } from "./preset-kind.js";
import { needsCard, type PresetValues } from "./presets.js";

/**
 * Error messages for a preset's form, keyed by form field. Errors in the preset's message are keyed by their path within that
 * message.
 */
export type PresetErrors = Readonly<Record<string, string>>;

const isWhole = (typed: string) => /^\d+$/.test(typed.trim());

/** Returns error messages for fields that are missing or invalid. The form can be saved only if there are none. */
export function findMissingFields(
  kind: PresetKind,
  { content, toGo, waits, stamps, key, at, days }: PresetValues,
): PresetErrors {
  const lacks = (isSo: boolean, field: string, words: string) => (isSo ? { [field]: words } : {});
  const hasCard = content.templateId !== "";
  return {
    ...lacks(kind === "nearlyFull" && !isWhole(toGo), "toGo", ready.number),
    ...lacks(kind === "reward" && !isWhole(waits), "waits", ready.number),
    ...lacks(kind === "welcome" && hasCard && !isWhole(stamps), "stamps", ready.number),
    ...lacks(kind === "birthday" && key.trim() === "", "key", ready.text),
    ...lacks(kind === "birthday" && at === "", "at", ready.text),
    ...lacks(kind === "winBack" && !isWhole(days), "days", ready.number),
    ...lacks(needsCard(kind) && !hasCard, "templateId", ready.needsCard),
  };
}

/** Maps the API's error paths to form fields. */
const fieldsByPath: readonly (readonly [path: RegExp, field: string])[] = [
  [/^on\.toGo$/, "toGo"],
  [/^after$|^per\.everyDays$/, "waits"],
  [/^do\.\d+\.addStamps\.count$/, "stamps"],
  [/^on\.date\.metadata/, "key"],
  [/^on\.date\.at$/, "at"],
  [/^filter\b|beforeDays$/, "days"],
];

/** Converts an API error to error messages for the preset's form. */
export function toFieldErrors({ fields, missing }: CallError): PresetErrors {
  if (missing === "template") return { templateId: ready.gone };
  const named = Object.entries(fields).map(([path, words]) => {
    const field = fieldsByPath.find(([pattern]) => pattern.test(path))?.[1];
    return [field ?? path.replace(/^do\.\d+\.message\./, ""), words];
  });
  return Object.fromEntries(named);
}

/** Returns whether the form can show every error next to a field. */
export const hasFieldForEach = (complaints: PresetErrors): boolean =>
  Object.keys(complaints).every((field) =>
    /^(name|templateId|channels|texts|link|toGo|waits|stamps|key|at|days)\b/.test(field),
  );
