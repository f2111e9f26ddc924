import type { SegmentCondition } from "../../../../src/resources/segment-filter.js";
import type { LeafName } from "../../../../src/resources/segment-leaves.js";
import type { Scope } from "../../../../src/scopes.js";
import type { Choices } from "../components/choices.js";
import type { Body } from "./leaf-values.js";

/** The values of a condition as its controls have them. */
export type ControlValues = Readonly<Record<string, string>>;

/** One control of a condition. */
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
  /** Words behind it. */
  readonly after?: (values: ControlValues) => string;
  /** Returns whether the control may be empty, given the other values. Default: never. */
  readonly isOptional?: (values: ControlValues) => boolean;
  /** Returns whether the control is shown, given the other values. Default: always. */
  readonly isShown?: (values: ControlValues) => boolean;
}

/** One kind of condition: its controls, and how what they hold becomes a condition and comes of one. */
export interface LeafKind {
  /** The scope of what it reads; `null` if that depends. */
  readonly scope: Scope | null;
  readonly controls: readonly Control[];
  /** The values of a new one. */
  readonly fresh: ControlValues;
  /** @param body the value of the condition's key, in any form that the API accepts. */
  readonly read: (body: Body) => ControlValues;
  /** @param values have something for each control that is shown and not optional. */
  readonly write: (values: ControlValues) => SegmentCondition;
}

export type LeafKinds = Readonly<Record<LeafName, LeafKind>>;

/** Lets a control be empty. */
export const always = (): boolean => true;

/** The controls that are shown for the values of a condition. */
export const visibleControls = ({ controls }: LeafKind, values: ControlValues): readonly Control[] =>
  controls.filter(({ isShown }) => isShown?.(values) ?? true);

/** Returns the first control that lacks what the condition needs; `undefined` if it can be counted. */
export function findIncompleteControl(kind: LeafKind, values: ControlValues): Control | undefined {
  return visibleControls(kind, values).find(({ name, type, isOptional }) => {
    const value = (values[name] ?? "").trim();
    if (value === "") return !(isOptional?.(values) ?? false);
    if (type === "number") return !Number.isSafeInteger(Number(value));
    return type === "decimal" && !Number.isFinite(Number(value));
  });
}
