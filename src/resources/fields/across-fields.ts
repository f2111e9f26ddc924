/**
 * For a check across fields: it runs on every object, so that it is reported beside the fields that are wrong by
 * themselves. What the check is given may then be half wrong.
 */
export const onAnyObject = {
  when: ({ value }: { readonly value: unknown }) => typeof value === "object" && value !== null,
};

/** Says in the words of JSON Schema that an object has one of the fields and not both; as a check it is written out. */
export function exactlyOne(...fields: readonly string[]) {
  return { oneOf: fields.map((field) => ({ required: [field] })) };
}
