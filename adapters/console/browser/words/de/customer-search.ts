import type * as english from "../en/customer-search.js";
import type { Translated } from "../translated.js";

export const customerSearch: Translated<typeof english.customerSearch> = {
  withoutName: "Ohne Namen",
  gone: "jemand, den es nicht mehr gibt",
  hint: "Nach Name, E-Mail, Telefon oder Nummer.",
  nobodyFound: "Niemand gefunden.",
  noAddress: "keine Adresse",
};
