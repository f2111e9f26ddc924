/** The choices of a select, each with what is shown for it. */
export type Choices<Value extends string> = readonly (readonly [value: Value, text: string])[];
