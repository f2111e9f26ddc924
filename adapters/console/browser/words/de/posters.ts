import type * as en from "../en/posters.js";
import type { Translated } from "../translated.js";

export const posters: Translated<typeof en.posters> = {
  back: "Karten",
  title: (card) => `Plakat von ${card}`,
  print: "Drucken oder als PDF speichern",
  loopback:
    "Dieses Plakat nennt das Gerät, das es öffnet: Die Telefone der Kunden finden dort nichts. Öffnen Sie die Konsole vor dem Drucken unter der Adresse, die sie erreichen.",
  size: "Größe",
  hint: "Gedruckt wird in der genauen Größe: Wählen Sie „Tatsächliche Größe“, keine Ränder und Papier dieser Größe.",
  poster: "Plakat, A4",
  tent: "Tischaufsteller, A6",
  sticker: "Aufkleber, 85 × 55 mm",
  codeOf: (link) => `QR-Code von ${link}`,
};
