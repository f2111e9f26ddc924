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
  whatFills: {
    customers: "Hier stehen Kunden, sobald sie sich anmelden oder Sie sie hinzufügen.",
    activeCards: "Hier stehen Karten, sobald Kunden eine haben.",
    stamps: "Hier stehen Stempel, sobald Sie an der Kasse Karten scannen.",
    rewardsEarned: "Hier stehen Prämien, sobald ein Kunde eine Karte füllt.",
    rewardsRedeemed: "Hier stehen eingelöste Prämien, sobald Sie an der Kasse eine ausgeben.",
    pointsGiven: "Hier stehen Punkte, sobald ein Kunde welche für einen Einkauf bekommt.",
    pointsSpent: "Hier stehen eingelöste Punkte, sobald ein Kunde welche nutzt.",
    pointsExpired:
      "Hier stehen verfallene Punkte, sobald die Punkte einer Karte ein Ende haben und es erreichen.",
    emailsAccepted: "Hier stehen E-Mails, sobald Sie eine Nachricht per E-Mail senden.",
    walletMessages: "Hier stehen Nachrichten, sobald Sie eine an Karten im Wallet senden.",
    unsubscribed: "Hier stehen Abmeldungen, sobald ein Kunde keine Nachrichten mehr möchte.",
    installs: "Hier stehen Karten, sobald ein Kunde eine zu Apple Wallet oder Google Wallet hinzufügt.",
  },
  chart: "Diagramm",
  showList: "Liste öffnen",
  more: "Mehr Zahlen",
  fewer: "Weniger Zahlen",
  newCustomers: "Neue Kunden",
  before: (count, days) => `${numberText(count)} in den ${days} Tagen davor`,
  lastDays: (days) => `Die letzten ${days} Tage`,
  otherWallets: "Andere",
  customersNow: "Kunden jetzt",
  waiting: "mit wartender Prämie",
  fresh: (days) => `neu, in den letzten ${days} Tagen da`,
  returning: (days) => `wiederkehrend, in den letzten ${days} Tagen da`,
  quiet: (days) => `seit ${days} Tagen kein Besuch`,
  way: "Von der Anmeldung bis zur Prämie",
  whoJoined: (days) =>
    `Wie weit die Kunden gekommen sind, die sich in den letzten ${days} Tagen angemeldet haben.`,
  joined: "Angemeldet",
  inWallet: "Karte im Wallet",
  cameTwice: "Zweiter Besuch",
  earned: "Prämie verdient",
  ofJoined: (step) => `${step}, von allen Neuanmeldungen`,
  today: "Heute",
  todaySoFar: "Heute bisher",
  allOfLast: (count, weekday) => `${numberText(count)} am ganzen letzten ${weekday}`,
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
