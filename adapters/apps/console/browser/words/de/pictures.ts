import type * as english from "../en/pictures.js";
import type { Translated } from "../translated.js";

export const picture: Translated<typeof english.picture> = {
  tooLarge: (file) => `„${file}“ ist größer als 30 MB.`,
  unreadable: (file) => `„${file}“ lässt sich nicht als Bild lesen. Speichern Sie es als PNG oder JPEG.`,
  isKept: "Ein Bild ist gespeichert.",
  drop: "Bild hierher ziehen, einfügen oder",
  choose: "Datei wählen",
  crop: (label) => `${label} zuschneiden`,
  remove: (label) => `${label} entfernen`,
};
