/** The options of a select control, each with its label. */
export type Choices<Value extends string> = readonly (readonly [value: Value, text: string])[];
