/** UI text for design presets, except for the text that customers see. */
export const readyDesigns = {
  title: "Start from a ready-made design",
  hint: "Sets the colors, stamps, text, and background. Nothing is saved yet.",
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
