import type { PresetLanguage } from "../components/first-language.js";

export type PresetKind = "welcome" | "nearlyFull" | "reward" | "birthday" | "winBack";

interface PresetText {
  /** The text shown on the lock screen and on the card. */
  readonly wallet: string;
  readonly subject: string;
  readonly text: string;
}

type PresetTexts = Readonly<Record<PresetKind, { readonly card: PresetText; readonly plain: PresetText }>>;

/** The default wording for each preset, in two versions: one for messages about a card and one for messages without a card. */
export const presetTexts: Readonly<Record<PresetLanguage, PresetTexts>> = {
  en: {
    welcome: {
      card: {
        wallet: "Welcome, {name}! {toGo} stamps until your reward.",
        subject: "Welcome, {name}!",
        text: "Hello {name},\n\nYour card “{card}” is ready. Show it each time you visit. {toGo} stamps until your reward!\n\nSee you soon!",
      },
      plain: {
        wallet: "",
        subject: "Welcome, {name}!",
        text: "Hello {name},\n\nThanks for joining us. Show your card each time you visit.\n\nSee you soon!",
      },
    },
    nearlyFull: {
      card: {
        wallet: "Nearly there, {name}! Only {toGo} more until your reward.",
        subject: "Only {toGo} more until your reward",
        text: "Hello {name},\n\nYour card “{card}” is nearly full. Only {toGo} more until your reward!\n\nSee you soon!",
      },
      plain: { wallet: "", subject: "", text: "" },
    },
    reward: {
      card: {
        wallet: "{name}, your reward is waiting for you.",
        subject: "Your reward is waiting, {name}",
        text: "Hello {name},\n\nYou have a reward waiting on your card “{card}”. Show it the next time you visit.\n\nSee you soon!",
      },
      plain: { wallet: "", subject: "", text: "" },
    },
    birthday: {
      card: {
        wallet: "Happy birthday, {name}!",
        subject: "Happy birthday, {name}!",
        text: "Hello {name},\n\nHappy birthday from all of us! Bring your card “{card}” the next time you visit.\n\nSee you soon!",
      },
      plain: {
        wallet: "",
        subject: "Happy birthday, {name}!",
        text: "Hello {name},\n\nHappy birthday from all of us!\n\nSee you soon!",
      },
    },
    winBack: {
      card: {
        wallet: "It’s been a while, {name}. Your {stamps} stamps are still here.",
        subject: "We miss you, {name}",
        text: "Hello {name},\n\nIt’s been a while since your last visit. Your card “{card}” still has {stamps} stamps. Only {toGo} more until your reward!\n\nSee you soon!",
      },
      plain: {
        wallet: "",
        subject: "We miss you, {name}",
        text: "Hello {name},\n\nIt’s been a while since your last visit. Stop by soon. We’d love to see you!\n\nSee you soon!",
      },
    },
  },
  de: {
    welcome: {
      card: {
        wallet: "Willkommen, {name}! Noch {toGo} Stempel bis zu deiner Prämie.",
        subject: "Willkommen, {name}!",
        text: "Hallo {name},\n\ndeine Karte „{card}“ ist da. Zeig sie an der Kasse, wann immer du kommst: Noch {toGo} Stempel bis zu deiner Prämie.\n\nBis bald!",
      },
      plain: {
        wallet: "",
        subject: "Willkommen, {name}!",
        text: "Hallo {name},\n\nschön, dass du dabei bist. Zeig deine Karte an der Kasse, wann immer du kommst.\n\nBis bald!",
      },
    },
    nearlyFull: {
      card: {
        wallet: "Fast geschafft, {name}: nur noch {toGo} bis zu deiner Prämie!",
        subject: "Nur noch {toGo} bis zu deiner Prämie",
        text: "Hallo {name},\n\ndeine Karte „{card}“ ist fast voll: nur noch {toGo} bis zu deiner Prämie.\n\nBis bald!",
      },
      plain: { wallet: "", subject: "", text: "" },
    },
    reward: {
      card: {
        wallet: "{name}, deine Prämie wartet auf dich.",
        subject: "Deine Prämie wartet, {name}",
        text: "Hallo {name},\n\nauf deiner Karte „{card}“ wartet eine Prämie, die du noch nicht geholt hast. Zeig sie beim nächsten Mal an der Kasse.\n\nBis bald!",
      },
      plain: { wallet: "", subject: "", text: "" },
    },
    birthday: {
      card: {
        wallet: "Alles Gute zum Geburtstag, {name}!",
        subject: "Alles Gute zum Geburtstag, {name}!",
        text: "Hallo {name},\n\nalles Gute zum Geburtstag von uns allen. Bring deine Karte „{card}“ mit, wenn du vorbeikommst.\n\nBis bald!",
      },
      plain: {
        wallet: "",
        subject: "Alles Gute zum Geburtstag, {name}!",
        text: "Hallo {name},\n\nalles Gute zum Geburtstag von uns allen.\n\nBis bald!",
      },
    },
    winBack: {
      card: {
        wallet: "Wir haben dich lange nicht gesehen, {name}. Deine {stamps} Stempel sind noch da.",
        subject: "Du fehlst uns, {name}",
        text: "Hallo {name},\n\nwir haben dich lange nicht gesehen. Deine Karte „{card}“ ist, wie du sie gelassen hast: {stamps} Stempel darauf, noch {toGo} bis zu deiner Prämie.\n\nBis bald!",
      },
      plain: {
        wallet: "",
        subject: "Du fehlst uns, {name}",
        text: "Hallo {name},\n\nwir haben dich lange nicht gesehen. Komm vorbei: Wir freuen uns auf dich.\n\nBis bald!",
      },
    },
  },
};
