import type * as en from "../en/reference.js";
import type { Translated } from "../translated.js";

export const reference: Translated<typeof en.reference> = {
  back: "Konsole",
  title: "API-Referenz",
  document: "OpenAPI-Dokument",
  search: "Operationen suchen",
  calledFor: "Aufrufe gelten für",
  withOwnRights: ", mit Ihren eigenen Berechtigungen.",
  token: "API-Token, um Aufrufe auszuprobieren",
  tokenHint: "Es bleibt auf dieser Seite und geht nur an diesen Server.",
  noneFound: "Keine passenden Operationen.",
  noDocument: (status) => `Das Dokument konnte nicht geladen werden: ${status}.`,
  other: "Andere",
  deprecated: "veraltet",
  answers: "Antworten",
  required: "erforderlich",
  body: "Inhalt",
  send: "Senden",
  needsToken: "Geben Sie oben ein Token an, um es auszuprobieren.",
  noAnswer: "keine Antwort",
  unreachable: "Der Server ist nicht zu erreichen.",
};
