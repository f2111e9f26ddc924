import type { SegmentCondition } from "../../../../src/resources/segment-filter.js";
import type { LeafName } from "../../../../src/resources/segment-leaves.js";
import type { Scope } from "../../../../src/scopes.js";
import type { Choices } from "../components/choices.js";
import type { Body } from "./leaf-values.js";

/** A condition's values as strings, keyed by control name. */
export type ControlValues = Readonly<Record<string, string>>;

/** A control for one value of a condition. */
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
  /** Text shown after the control. */
  readonly after?: (values: ControlValues) => string;
  /** Returns whether the control may be empty, given the other values. Default: never. */
  readonly isOptional?: (values: ControlValues) => boolean;
  /** Returns whether the control is shown, given the other values. Default: always. */
  readonly isShown?: (values: ControlValues) => boolean;
}

/** A kind of condition: its controls, and the conversion between control values and conditions. */
export interface LeafKind {
  /**
   * Scope required to read the data that the condition uses; `null` for a condition on another segment, which has no scope of its
   * own.
   */
  readonly scope: Scope | null;
  readonly controls: readonly Control[];
  /** Initial values of a new condition. */
  readonly fresh: ControlValues;
  /** @param body the value of the condition's key, in any form that the API accepts. */
  readonly read: (body: Body) => ControlValues;
  /** @param values contain a value for each visible control that isn't optional. */
  readonly write: (values: ControlValues) => SegmentCondition;
}

export type LeafKinds = Readonly<Record<LeafName, LeafKind>>;

/** An `isOptional` function for a control that may always be empty. */
export const always = (): boolean => true;

/** Returns the controls that are visible for a condition's values. */
export const visibleControls = ({ controls }: LeafKind, values: ControlValues): readonly Control[] =>
  controls.filter(({ isShown }) => isShown?.(values) ?? true);

/** Returns the first control whose value is missing or invalid; `undefined` if the condition is complete and can be counted. */
export function findIncompleteControl(kind: LeafKind, values: ControlValues): Control | undefined {
  return visibleControls(kind, values).find(({ name, type, isOptional }) => {
    const value = (values[name] ?? "").trim();
    if (value === "") return !(isOptional?.(values) ?? false);
    if (type === "number") return !Number.isSafeInteger(Number(value));
    return type === "decimal" && !Number.isFinite(Number(value));
  });
}
