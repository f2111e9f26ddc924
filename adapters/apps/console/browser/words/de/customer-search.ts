import type * as english from "../en/customer-search.js";
import type { Translated } from "../translated.js";

export const customerSearch: Translated<typeof english.customerSearch> = {
  withoutName: "Ohne Namen",
  gone: "ein gelöschter Kunde",
  hint: "Nach Name, E-Mail, Telefon oder Nummer.",
  nobodyFound: "Keine Kunden gefunden.",
  noAddress: "keine Adresse",
};
