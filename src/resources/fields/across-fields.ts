/**
 * For a check across fields: it runs on every object, so that it is reported beside the fields that are wrong by
 * themselves. What the check is given may then be half wrong.
 */
export const onAnyObject = {
  when: ({ value }: { readonly value: unknown }) => typeof value === "object" && value !== null,
};
