/** A select control's options, as pairs of values and labels. */
export type Choices<Value extends string> = readonly (readonly [value: Value, text: string])[];
