import type * as en from "../en/ready-designs.js";
import type { Translated } from "../translated.js";

export const readyDesigns: Translated<typeof en.readyDesigns> = {
  title: "Mit einer fertigen Gestaltung beginnen",
  hint: "Sie bestimmt Farben, Stempel, Worte und das Bild dahinter. Ändern Sie, was Sie wollen; noch ist nichts gespeichert.",
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
