/** UI text for the poster screen. The printed sheets themselves are in the customers' language. */
export const posters = {
  back: "Cards",
  title: (card: string) => `Poster of ${card}`,
  print: "Print or save as PDF",
  loopback:
    "This poster’s link only works on this device. Before you print, open the console at an address that customers’ phones can reach.",
  size: "Size",
  hint: "To print it at its exact size, choose “Actual size”, no margins, and matching paper.",
  poster: "Poster, A4",
  tent: "Table tent, A6",
  sticker: "Sticker, 85 × 55 mm",
  codeOf: (link: string) => `QR code of ${link}`,
} as const;
