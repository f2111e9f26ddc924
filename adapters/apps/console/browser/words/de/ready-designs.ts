import type * as en from "../en/ready-designs.js";
import type { Translated } from "../translated.js";

export const readyDesigns: Translated<typeof en.readyDesigns> = {
  title: "Mit einer fertigen Gestaltung beginnen",
  hint: "Sie legt Farben, Stempel, Texte und das Hintergrundbild fest. Ändern Sie, was Sie möchten; gespeichert ist noch nichts.",
  cancel: "Abbrechen",
  trades: {
    cafe: "Café",
    bakery: "Bäckerei",
    barber: "Friseur",
    iceCream: "Eis",
    pizzeria: "Pizzeria",
    florist: "Blumen",
    bookshop: "Buchhandlung",
    carWash: "Autowäsche",
    yoga: "Yogastudio",
    petShop: "Tierhandlung",
  },
};
