import type { Scope } from "../../../../../src/base/scopes.js";
import type { SegmentCondition } from "../../../../../src/segments/filter-schema.js";
import type { LeafName } from "../../../../../src/segments/leaf-schema.js";
import type { Choices } from "../components/choices.js";
import type { Body } from "./leaf-values.js";

/** A condition's control values as strings, keyed by control name. */
export type ControlValues = Readonly<Record<string, string>>;

/** A form control for one value of a condition. */
export interface Control {
  readonly name: string;
  readonly type:
    | "choice"
    | "card"
    | "anyCard"
    | "tag"
    | "segment"
    | "number"
    | "decimal"
    | "text"
    | "key"
    | "date";
  readonly label: string;
  readonly choices?: Choices<string>;
  /** Returns text to show after the control, such as a unit. */
  readonly after?: (values: ControlValues) => string;
  /** Returns whether the control can be left empty, given the condition's other values. If omitted, a value is always required. */
  readonly isOptional?: (values: ControlValues) => boolean;
  /** Returns whether the control is shown, given the condition's other values. If omitted, the control is always shown. */
  readonly isShown?: (values: ControlValues) => boolean;
}

/** A kind of condition, with its form controls and the functions that convert between control values and API conditions. */
export interface LeafKind {
  /**
   * The scope required to read the data that the condition tests, or `null` for a condition on another segment, which requires no
   * additional scope.
   */
  readonly scope: Scope | null;
  readonly controls: readonly Control[];
  /** A new condition's initial control values. */
  readonly fresh: ControlValues;
  /**
   * Converts an API condition to control values.
   * @param body the value under the condition's key, in any of the forms that the API accepts.
   */
  readonly read: (body: Body) => ControlValues;
  /**
   * Converts control values to an API condition.
   * @param values the control values, with a value for each visible control that isn't optional.
   */
  readonly write: (values: ControlValues) => SegmentCondition;
}

export type LeafKinds = Readonly<Record<LeafName, LeafKind>>;

/** Always returns true. Used as {@link Control.isOptional} for a control that can always be left empty. */
export const always = (): boolean => true;

/** Returns the controls that are shown for the given control values. Controls without an `isShown` function are always shown. */
export const visibleControls = ({ controls }: LeafKind, values: ControlValues): readonly Control[] =>
  controls.filter(({ isShown }) => isShown?.(values) ?? true);

/** Returns the first visible control whose value is missing or invalid, or `undefined` if the condition is complete. */
export function findIncompleteControl(kind: LeafKind, values: ControlValues): Control | undefined {
  return visibleControls(kind, values).find(({ name, type, isOptional }) => {
    const value = (values[name] ?? "").trim();
    if (value === "") return !(isOptional?.(values) ?? false);
    if (type === "number") return !Number.isSafeInteger(Number(value));
    return type === "decimal" && !Number.isFinite(Number(value));
  });
}
