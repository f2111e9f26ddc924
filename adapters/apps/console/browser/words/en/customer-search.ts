/** UI text for searching for a customer, and for customers who have no name or were deleted. */
export const customerSearch = {
  withoutName: "No name",
  gone: "a deleted customer",
  hint: "By name, email, phone or number.",
  nobodyFound: "No customers found.",
  noAddress: "no address",
};
