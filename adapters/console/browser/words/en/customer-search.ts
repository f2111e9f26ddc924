/** UI text for finding a customer, and for customers without a name. */
export const customerSearch = {
  withoutName: "Without a name",
  gone: "a deleted customer",
  hint: "By name, email, phone or number.",
  nobodyFound: "No customers found.",
  noAddress: "no address",
};
