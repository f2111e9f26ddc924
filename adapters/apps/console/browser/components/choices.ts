/** The options of a select control, as pairs of a value and a label. */
export type Choices<Value extends string> = readonly (readonly [value: Value, text: string])[];
