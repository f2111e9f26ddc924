import type * as english from "../en/overview.js";
import type { Translated } from "../translated.js";
import { countText, numberText } from "./forms.js";

export const overview: Translated<typeof english.overview> = {
  title: "Übersicht",
  range: (days) => countText(days, "Tag", "Tage"),
  notShown: "Sie haben keinen Zugriff auf die Statistik",
  askForOne: "Fragen Sie den Administrator Ihres Servers.",
  charts: {
    customers: "Kunden",
    activeCards: "Aktive Karten",
    stamps: "Gegebene Stempel",
    rewardsEarned: "Verdiente Prämien",
    rewardsRedeemed: "Eingelöste Prämien",
    pointsGiven: "Gegebene Punkte",
    pointsSpent: "Eingelöste Punkte",
    pointsExpired: "Verfallene Punkte",
    emailsAccepted: "Verschickte E-Mails",
    walletMessages: "Nachrichten auf Karten",
    unsubscribed: "Abmeldungen",
    installs: "Zu Wallets hinzugefügt",
  },
  otherWallets: "Andere",
  customersNow: "Kunden jetzt",
  waiting: "mit wartender Prämie",
  fresh: (days) => `neu, in den letzten ${days} Tagen da`,
  returning: (days) => `wiederkehrend, in den letzten ${days} Tagen da`,
  quiet: (days) => `seit ${days} Tagen kein Besuch`,
  way: "Von der Anmeldung bis zur Prämie",
  whoJoined: (days) => `Kunden, die sich in den letzten ${days} Tagen angemeldet haben`,
  joined: "Angemeldet",
  inWallet: "Karte im Wallet",
  cameTwice: "Zweiter Besuch",
  earned: "Prämie verdient",
  ofJoined: (step) => `${step}, von allen Neuanmeldungen`,
  today: "Heute",
  todaySoFar: "Heute bisher",
  stampsToday: "Stempel",
  earnedToday: "Prämien verdient",
  takenToday: "Prämien eingelöst",
  inCustomers: "Kunden",
  inLog: "Im Ereignisprotokoll",
  allOfLast: (weekday) => `am ganzen letzten ${weekday}`,
};

export const outstandingPoints: Translated<typeof english.outstandingPoints> = {
  title: "Offene Punkte",
  totals: (available, pending, debt) =>
    [
      `${numberText(available)} verfügbar`,
      pending > 0 && `${numberText(pending)} noch nicht nutzbar`,
      debt > 0 && `${numberText(debt)} von Kunden geschuldet`,
    ]
      .filter(Boolean)
      .join(" · "),
  card: "Karte",
  allCards: "Alle Karten",
  month: "Verfallen im",
  never: "Nie",
  points: "Punkte",
  download: "Als CSV herunterladen",
  fileName: "offene-punkte",
};
