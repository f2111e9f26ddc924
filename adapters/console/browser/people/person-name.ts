/** Returns a staff member's name, or their email if they have no name. */
export const personName = ({ name, email }: { readonly name: string | null; readonly email: string }) =>
  name ?? email;
