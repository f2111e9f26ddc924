import type * as en from "../en/posters.js";
import type { Translated } from "../translated.js";

export const posters: Translated<typeof en.posters> = {
  back: "Karten",
  title: (card) => `Plakat von ${card}`,
  print: "Drucken oder als PDF speichern",
  loopback:
    "Drucken Sie dieses Plakat noch nicht: Die Telefone Ihrer Kunden können seinen Link nicht öffnen. Fragen Sie die Person, die Ihren Server betreibt, nach der Webadresse Ihres Geschäfts, und öffnen Sie diese Seite dort.",
  open: "Anmeldeseite öffnen",
  copy: "Link kopieren",
  copied: "Link kopiert",
  printed: "Hängen Sie es dort auf, wo Ihre Kunden bezahlen.",
  size: "Größe",
  hint: "Für die genaue Größe wählen Sie beim Drucken „Tatsächliche Größe“, keine Ränder und passendes Papier.",
  poster: "Plakat, A4",
  tent: "Tischaufsteller, A6",
  sticker: "Aufkleber, 85 × 55 mm",
  codeOf: (link) => `QR-Code von ${link}`,
};
