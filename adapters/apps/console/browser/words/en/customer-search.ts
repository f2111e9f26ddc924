/** UI text for the customer search, and placeholders for customers who have no name or were deleted. */
export const customerSearch = {
  withoutName: "No name",
  gone: "a deleted customer",
  hint: "Search by name, email, phone, or customer number.",
  nobodyFound: "No customers found.",
  noAddress: "no address",
};
