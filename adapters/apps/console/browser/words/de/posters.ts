import type * as en from "../en/posters.js";
import type { Translated } from "../translated.js";

export const posters: Translated<typeof en.posters> = {
  back: "Karten",
  title: (card) => `Plakat von ${card}`,
  print: "Drucken oder als PDF speichern",
  loopback:
    "Der Link auf diesem Plakat funktioniert nur auf diesem Gerät. Öffnen Sie die Konsole vor dem Drucken unter einer Adresse, die die Telefone Ihrer Kunden erreichen.",
  size: "Größe",
  hint: "Für die genaue Größe wählen Sie beim Drucken „Tatsächliche Größe“, keine Ränder und passendes Papier.",
  poster: "Plakat, A4",
  tent: "Tischaufsteller, A6",
  sticker: "Aufkleber, 85 × 55 mm",
  codeOf: (link) => `QR-Code von ${link}`,
};
