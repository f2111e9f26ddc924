import type { trail as english } from "../en/trail.js";
import type { Translated } from "../translated.js";

export const trail: Translated<typeof english> = {
  title: "Wer hat was getan",
  about:
    "Was am Geschäft selbst geändert wurde, das Neueste zuerst. Diese Zeilen kann niemand ändern; die neuesten 100.000 bleiben.",
  nothing: "Es ist noch nichts vermerkt",
  nothingYet: "Schlüssel, Einstellungen, Nachrichten und Exporte erscheinen hier, mit dem, der es war.",
  acts: {
    "api_token.created": "Schlüssel angelegt",
    "api_token.rotated": "Schlüssel erneuert",
    "api_token.revoked": "Schlüssel widerrufen",
    "app.created": "App angemeldet",
    "app.secret_rotated": "Geheimnis einer App erneuert",
    "app.deleted": "App entfernt",
    "grant.created": "App zugelassen",
    "grant.ended": "Zulassung einer App beendet",
    "webhook_endpoint.created": "Webhook hinzugefügt",
    "webhook_endpoint.updated": "Webhook geändert",
    "webhook_endpoint.secret_rotated": "Geheimnis eines Webhooks erneuert",
    "webhook_endpoint.deleted": "Webhook entfernt",
    "message.sent": "Nachricht gesendet",
    "message.cancelled": "Nachricht abgebrochen",
    "message_settings.updated": "Einstellungen für E-Mails und Nachrichten geändert",
    "settings.updated": "Einstellungen des Geschäfts geändert",
    "organization.exported": "Alles exportiert",
    "users.exported": "Kunden exportiert",
    "user.handed_out": "Kopie der Daten eines Kunden gespeichert",
    "user.erased": "Kunden endgültig vergessen",
    "person.invited": "Jemanden eingeladen",
    "person.changed": "Namen oder Rolle geändert",
    "person.removed": "Jemanden entfernt",
    "session.ended": "Ein Gerät abgemeldet",
  },
  pages: "Seiten von „Wer hat was getan“",
  newer: "Neuere",
  older: "Ältere",
};
