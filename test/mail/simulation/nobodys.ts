/** The address of somebody who joined with one that is another customer's. */
export function nobodysAddress(number: number): string {
  return `joined-${String(number).padStart(24, "0")}@join.invalid`;
}

export function isNobodys(address: string): boolean {
  return address.endsWith("@join.invalid");
}
