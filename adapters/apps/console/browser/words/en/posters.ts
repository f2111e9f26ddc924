/** UI text for the poster screen. The printed sheets themselves are in the customers' language. */
export const posters = {
  back: "Cards",
  title: (card: string) => `Poster for ${card}`,
  print: "Print or save as PDF",
  loopback:
    "Don’t print this yet: your customers’ phones can’t open its link. Ask the person who runs your server for your shop’s web address, and open this page there.",
  open: "Open the sign-up page",
  copy: "Copy the link",
  copied: "Link copied",
  printed: "Hang it up where your customers pay.",
  size: "Size",
  hint: "To print at the exact size, choose “Actual size”, no margins, and the matching paper size.",
  poster: "Poster, A4",
  tent: "Table tent, A6",
  sticker: "Sticker, 85 × 55 mm",
  codeOf: (link: string) => `QR code for ${link}`,
} as const;
