/** The name of a person, or else their email. */
export const personName = ({ name, email }: { readonly name: string | null; readonly email: string }) =>
  name ?? email;
