import type * as english from "../en/sections.js";
import type { Translated } from "../translated.js";

export const sections: Translated<typeof english.sections> = {
  overview: "Übersicht",
  customers: "Kunden",
  purchases: "Einkäufe",
  segments: "Gruppen",
  messages: "Nachrichten",
  automations: "Automatisierungen",
  cards: "Karten",
  till: "Kasse",
};

export const settingsTabs: Translated<typeof english.settingsTabs> = {
  shop: "Geschäft",
  people: "Team",
  mail: "E-Mails",
  messages: "Nachrichten",
  timeZone: "Zeitzone",
  wallets: "Wallets",
  trail: "Änderungsprotokoll",
  signIn: "Anmeldung",
  server: "Server",
};

export const developersTabs: Translated<typeof english.developersTabs> = {
  tokens: "API-Token",
  webhooks: "Webhooks",
  apps: "Apps",
  events: "Ereignisse",
};
