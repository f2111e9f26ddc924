import type * as english from "../en/crop.js";
import type { Translated } from "../translated.js";

export const crop: Translated<typeof english.crop> = {
  title: (label) => `${label}: Ausschnitt wählen`,
  part: (width, height) => `Der Ausschnitt des Bildes, ${width} × ${height} Pixel`,
  hint: "Ziehen verschiebt das Bild. Zwei Finger oder das Mausrad ändern die Größe.",
  size: "Größe",
  across: "Waagerechte Position",
  down: "Senkrechte Position",
  tooLarge: "Dieser Ausschnitt ist größer als 512 KiB. Wählen Sie ein einfacheres Bild.",
  whole: "Ganzes Bild",
  use: "Ausschnitt verwenden",
};
