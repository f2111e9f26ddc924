import type * as english from "../en/first-steps.js";
import type { Translated } from "../translated.js";

export const firstSteps: Translated<typeof english.firstSteps> = {
  title: "Richten Sie Ihr Geschäft ein",
  progress: (done, all) => `${done} von ${all} erledigt`,
  done: "Erledigt:",
  hide: "Liste ausblenden",
  next: (step) => `Als Nächstes: ${step}`,
  name: "Geben Sie Ihrem Geschäft einen Namen",
  nameHint: "Name und Logo stehen auf Karten, Plakaten und in E-Mails.",
  card: "Gestalten Sie Ihre Karte",
  cardHint: "Wählen Sie eine fertige Gestaltung und passen Sie sie an.",
  poster: "Drucken Sie das Plakat",
  posterHint: "Kunden scannen es und bekommen ihre Karte.",
  stamp: "Stempeln Sie Ihre eigene Karte",
  stampHint: "Scannen Sie das Plakat mit dem Handy und stempeln Sie Ihre Karte an der Kasse.",
  message: "Senden Sie Ihre erste Nachricht",
  messageHint: "Schreiben Sie den Kunden, die Neuigkeiten möchten.",
  staff: "Laden Sie Ihr Team ein",
  staffHint: "Jeder meldet sich selbst an, mit einer passenden Rolle.",
};
