/** UI text for design presets, except for the texts that customers see. */
export const readyDesigns = {
  title: "Start from a ready-made design",
  hint: "It sets colors, stamps, texts and the background picture. Change anything you like; nothing is saved yet.",
  cancel: "Cancel",
  trades: {
    cafe: "Café",
    bakery: "Bakery",
    barber: "Barber",
    iceCream: "Ice cream",
    pizzeria: "Pizzeria",
    florist: "Florist",
    bookshop: "Bookshop",
    carWash: "Car wash",
    yoga: "Yoga studio",
    petShop: "Pet shop",
  },
} as const;
