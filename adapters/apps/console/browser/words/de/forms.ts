/*
 * The console's German texts. Their readers work in a shop, so keep sentences short and plain, and address readers as "Sie".
 * (Customers are addressed as "du" on their pages and in emails.) Button labels are infinitives, such as "Speichern" or "Stempel
 * geben". Quotation marks are „so“, and dashes have spaces around them.
 *
 * | English | German |
 * |---|---|
 * | customer, customers | Kunde, Kunden |
 * | someone, who (in sentences of conditions) | wer, jemand |
 * | card; card full; card in a wallet | Karte; volle Karte; Karte im Wallet |
 * | wallet | das Wallet |
 * | stamp, to stamp | Stempel; Stempel geben |
 * | take stamps off, empty a card | Stempel abziehen, Karte leeren |
 * | points; to spend; expired | Punkte; einlösen; verfallen |
 * | purchase; to record; return, returned goods | Einkauf; erfassen; Rückgabe |
 * | rule; bonus; limit (of purchases) | Regel; Aktion; Grenze |
 * | reward; waiting; to redeem, to hand out | Prämie; wartet; einlösen, ausgeben |
 * | till; shop; visit | Kasse; Geschäft; Besuch |
 * | tag | Etikett |
 * | segment; condition; filter | Gruppe; Bedingung; Filter |
 * | message; news; draft; test | Nachricht; Neuigkeiten; Entwurf; Test |
 * | mail, email | E-Mail |
 * | agreed (consent); refusal; unsubscribed | Einwilligung, eingewilligt; Widerspruch; abgemeldet |
 * | automation; run; ready-made; to try | Automatisierung, Automatisierungen; Lauf; Vorlage; ausprobieren |
 * | poster; design; join page; QR code | Plakat; Gestaltung; Anmeldeseite; QR-Code |
 * | customer number (`externalId`) | Kundennummer |
 * | note, your own notes (`metadata`) | Notiz, eigene Notizen |
 * | overview; settings; developers | Übersicht; Einstellungen; Entwickler |
 * | session; to sign in, out | Sitzung; anmelden, abmelden |
 * | token, API token, scope, app, webhook, endpoint | Token, API-Token, Berechtigung, App, Webhook, Endpunkt |
 * | server; time zone | Server; Zeitzone |
 * | add; create, new; edit; change | hinzufügen; anlegen, neu; bearbeiten; ändern |
 * | save; discard; delete; remove | speichern; verwerfen; löschen; entfernen |
 * | cancel; close; undo; try again; back | Abbrechen; Schließen; Rückgängig; Noch einmal versuchen; Zurück |
 * | erase; revoke | endgültig löschen; widerrufen |
 * | choose…; search; none; nothing yet | Wählen …; suchen; keine; noch nichts |
 */
import { browserLocale, createForms } from "../forms.js";

export const { locale, language, numberText, dayText, momentText, moneyText, countText, pluralOf } =
  createForms(browserLocale("de"));

/** Puts German quotation marks around a name, such as „Kaffee“. */
export const quoted = (name: string): string => `„${name}“`;
