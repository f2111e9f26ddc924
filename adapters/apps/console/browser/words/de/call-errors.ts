import type * as english from "../en/call-errors.js";
import type { Translated } from "../translated.js";
import { countText, pluralOf } from "./forms.js";

export const refusals: Translated<typeof english.refusals> = {
  unauthorized: "Sie sind nicht mehr angemeldet.",
  user_tag_already_exists: "Ein anderes Etikett heißt schon so.",
  user_tag_already_assigned: "Der Kunde hat dieses Etikett schon.",
  segment_already_exists: "Eine andere Gruppe heißt schon so.",
  segment_in_use: "Die Gruppe wird noch gebraucht und lässt sich nicht löschen.",
  template_in_use: "Kunden haben diese Karte, sie lässt sich nicht löschen.",
  not_a_stamp_card: "Diese Karte hat keine Stempel.",
  not_enough_stamps: "So viele Stempel hat die Karte nicht.",
  not_a_point_card: "Diese Karte hat keine Punkte.",
  not_enough_points: "So viele Punkte hat die Karte nicht.",
  already_reversed: "Das ist schon rückgängig gemacht.",
  not_reversible: "Das lässt sich nicht rückgängig machen.",
  purchase_conflict: "Der Einkauf ist schon mit anderem Inhalt erfasst.",
  return_conflict: "Die Rückgabe ist schon mit anderem Inhalt erfasst.",
  more_than_bought: "Es käme mehr zurück, als gekauft wurde.",
  reward_already_redeemed: "Die Prämie daraus ist schon eingelöst. Machen Sie zuerst das rückgängig.",
  no_reward_available: "Auf dieser Karte ist keine Prämie.",
  mail_not_configured: "E-Mails sind noch nicht eingerichtet.",
  no_mail_address: "Der Kunde hat keine E-Mail-Adresse.",
  address_suppressed: "Diese Adresse hat E-Mails abgelehnt. Ändern Sie sie zuerst.",
  customer_unsubscribed: "Der Kunde hat sich abgemeldet. Geben Sie ein späteres Datum der Einwilligung ein.",
  message_not_draft: "Die Nachricht ist kein Entwurf mehr.",
  message_tested_recently: "Sie können zehnmal pro Stunde testen.",
  message_ended: "Die Nachricht ist abgeschlossen.",
  wallets_not_configured: "Wallets sind noch nicht eingerichtet.",
  too_many_messages: "Sie haben zu viele Nachrichten.",
  too_many_automations: "Sie haben zu viele Automatisierungen. Löschen Sie zuerst eine.",
  too_many_automation_versions: "Sie wurde zu oft geändert. Legen Sie eine Kopie an und löschen Sie diese.",
  too_many_pending_deliveries: "Zu viele E-Mails warten auf den Versand.",
  webhook_endpoint_disabled: "Der Endpunkt ist ausgeschaltet. Schalten Sie ihn zuerst ein.",
  pass_notified_recently: "Diese Karte wurde gerade erst per E-Mail geschickt.",
  person_already_exists: "Jemand mit dieser Adresse ist schon hier.",
  person_mailed_recently:
    "An diese Adresse gingen in einer Stunde zu viele E-Mails. Versuchen Sie es später noch einmal.",
  last_owner: "Machen Sie zuerst jemand anderen, der sich anmeldet, zum Inhaber.",
  too_many_people: "Sie haben zu viele Personen. Entfernen Sie zuerst jemanden.",
  rate_limit_exceeded: "Zu viele Aufrufe.",
  resource_not_found: "Das gibt es nicht mehr.",
  idempotency_key_in_use: "Das wird noch bearbeitet.",
  storage_unavailable: "Der Server ist beschäftigt.",
  internal_error: "Auf dem Server ist ein Fehler aufgetreten. Sein Protokoll nennt den Grund.",
};

export const callErrors: Translated<typeof english.callErrors> = {
  unreachable: "Der Server ist nicht erreichbar.",
  lacksScope: (scope) => `Dazu fehlt Ihnen die Berechtigung ${scope}.`,
  tooMany: "Sie haben zu viele. Löschen Sie zuerst etwas.",
  refused: (status, code) => `Der Server hat es abgelehnt (${status} ${code}).`,
  sameEmail: "Ein anderer Kunde hat diese Adresse.",
  sameNumber: "Ein anderer Kunde hat diese Nummer.",
  tryAgainIn: (time) => `Versuchen Sie es in ${time} noch einmal.`,
  hours: (count) => countText(count, "Stunde", "Stunden"),
  minutes: (count) => countText(count, "Minute", "Minuten"),
  seconds: (count) => `${count} ${pluralOf(count, "Sekunde", "Sekunden")}`,
};

/**
 * Patterns for the server's field error messages, with German translations. `$1` in a translation stands for the pattern's first
 * group.
 */
const fieldErrors: readonly (readonly [said: RegExp, german: string])[] = [
  [/^is required$/, "fehlt"],
  [/^is required unless phone or externalId is given$/, "fehlt; eine Telefon- oder Kundennummer genügt auch"],
  [
    /^can't be removed: a user needs .+$/,
    "kann nicht entfernt werden: Ein Kunde braucht E-Mail, Telefon oder Kundennummer",
  ],
  [/^must not be (?:blank|empty)$/, "darf nicht leer sein"],
  [/^must be a valid email address$/, "ist keine E-Mail-Adresse"],
  [/^must be at most (\S+) characters$/, "darf höchstens $1 Zeichen haben"],
  [/^must be at most (\S+) bytes$/, "darf höchstens $1 Bytes haben"],
  [/^must be at most (\S+) pixels to a side$/, "darf höchstens $1 Pixel hoch und breit sein"],
  [/^must be at most (\S+) levels deep$/, "darf höchstens $1 Ebenen tief sein"],
  [/^must be at most (\S+)$/, "darf höchstens $1 sein"],
  [/^must be at least (\S+)$/, "muss mindestens $1 sein"],
  [/^must have at most (\S+) items$/, "darf höchstens $1 Einträge haben"],
  [/^must be one of (.+)$/, "muss eines davon sein: $1"],
  [/^must be a PNG or JPEG, .+$/, "muss ein PNG oder JPEG sein"],
  [/^must be a language tag such as (.+) or (.+)$/, "muss eine Sprache sein, zum Beispiel $1 oder $2"],
  [
    /^must be a date such as (\S+), or a time such as (\S+)$/,
    "muss ein Tag wie $1 sein oder eine Zeit wie $2",
  ],
  [/^must be a date such as (\S+)$/, "muss ein Tag wie $1 sein"],
  [/^must be a time of day such as (\S+)$/, "muss eine Uhrzeit wie $1 sein"],
  [/^must not contain line breaks .+$/, "darf keine Zeilenumbrüche haben"],
  [/^must be a color of the form (\S+)$/, "muss eine Farbe der Form $1 sein"],
];

/** Translates a field's error message into German. Rare messages aren't translated and stay in English. */
export const fieldError = (message: string): string => {
  const [said, german] = fieldErrors.find(([each]) => each.test(message)) ?? [];
  return said === undefined || german === undefined ? message : message.replace(said, german);
};
