/** All words of looking for one customer, and of those without a name. */
export const customerSearch = {
  withoutName: "Without a name",
  gone: "somebody who is gone",
  hint: "By name, email, phone or number.",
  nobodyFound: "Nobody found.",
  noAddress: "no address",
};
