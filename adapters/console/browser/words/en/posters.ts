/** All words around the sheets that are printed; those on them are in the language of the customers. */
export const posters = {
  back: "Cards",
  title: (card: string) => `Poster of ${card}`,
  print: "Print or save as PDF",
  loopback:
    "This poster names the device that opens it: customers’ phones find nothing there. Open the console at the address that they reach before you print.",
  size: "Size",
  hint: "It is printed in its exact size: choose “Actual size”, no margins, and paper of that size.",
  poster: "Poster, A4",
  tent: "Table tent, A6",
  sticker: "Sticker, 85 × 55 mm",
  codeOf: (link: string) => `QR code of ${link}`,
} as const;
