/** Returns a staff member's name, or their email address if no name is set. */
export const getPersonName = ({ name, email }: { readonly name: string | null; readonly email: string }) =>
  name ?? email;
