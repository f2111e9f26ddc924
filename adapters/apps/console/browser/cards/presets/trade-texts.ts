import type { PresetLanguage } from "../../components/first-language.js";
import type { Trade } from "./trades.js";

/** The default wording for stamps and rewards on cards for one type of shop, such as a bakery. */
export interface TradeTexts {
  readonly stampsLabel: string;
  readonly rewardsLabel: string;
  readonly toGo: string;
  readonly rewardReady: string;
  readonly reward: string;
}

/** @param thing a product that customers buy, used in the sentences. */
const createEnglishTexts = (stampsLabel: string, thing: string, reward: string): TradeTexts => ({
  stampsLabel,
  rewardsLabel: "Rewards",
  toGo: `{count} more until your free ${thing}`,
  rewardReady: `Your free ${thing} is waiting`,
  reward,
});

/**
 * @param toThing for example "zum Gratis-Kaffee".
 * @param yourThing for example "Dein Gratis-Kaffee".
 */
const createGermanTexts = (
  stampsLabel: string,
  toThing: string,
  yourThing: string,
  reward: string,
): TradeTexts => ({
  stampsLabel,
  rewardsLabel: "Prämien",
  toGo: `Noch {count} bis ${toThing}`,
  rewardReady: `${yourThing} wartet`,
  reward,
});

export const tradeTexts: Readonly<Record<PresetLanguage, Readonly<Record<Trade, TradeTexts>>>> = {
  en: {
    cafe: createEnglishTexts("Coffees", "coffee", "A coffee of your choice"),
    bakery: createEnglishTexts("Loaves", "loaf", "A loaf of your choice"),
    barber: createEnglishTexts("Visits", "haircut", "A haircut on the house"),
    iceCream: createEnglishTexts("Cones", "cone", "A cone with two scoops"),
    pizzeria: createEnglishTexts("Pizzas", "pizza", "A pizza of your choice"),
    florist: createEnglishTexts("Bouquets", "bouquet", "A seasonal bouquet"),
    bookshop: createEnglishTexts("Books", "paperback", "A paperback of your choice"),
    carWash: createEnglishTexts("Washes", "wash", "A wash and wax"),
    yoga: createEnglishTexts("Classes", "class", "A class of your choice"),
    petShop: createEnglishTexts("Purchases", "bag of treats", "A bag of treats"),
  },
  de: {
    cafe: createGermanTexts("Kaffees", "zum Gratis-Kaffee", "Dein Gratis-Kaffee", "Ein Kaffee nach Wahl"),
    bakery: createGermanTexts("Brote", "zum Gratis-Brot", "Dein Gratis-Brot", "Ein Brot nach Wahl"),
    barber: createGermanTexts(
      "Besuche",
      "zum Gratis-Haarschnitt",
      "Dein Gratis-Haarschnitt",
      "Ein Haarschnitt aufs Haus",
    ),
    iceCream: createGermanTexts("Tüten", "zur Gratis-Tüte", "Deine Gratis-Tüte", "Eine Tüte mit zwei Kugeln"),
    pizzeria: createGermanTexts("Pizzen", "zur Gratis-Pizza", "Deine Gratis-Pizza", "Eine Pizza nach Wahl"),
    florist: createGermanTexts("Sträuße", "zum Gratis-Strauß", "Dein Gratis-Strauß", "Ein Strauß der Saison"),
    bookshop: createGermanTexts(
      "Bücher",
      "zum Gratis-Taschenbuch",
      "Dein Gratis-Taschenbuch",
      "Ein Taschenbuch nach Wahl",
    ),
    carWash: createGermanTexts(
      "Wäschen",
      "zur Gratis-Wäsche",
      "Deine Gratis-Wäsche",
      "Eine Wäsche mit Wachs",
    ),
    yoga: createGermanTexts("Stunden", "zur Gratis-Stunde", "Deine Gratis-Stunde", "Eine Stunde nach Wahl"),
    petShop: createGermanTexts(
      "Einkäufe",
      "zur Gratis-Packung Leckerlis",
      "Deine Gratis-Packung Leckerlis",
      "Eine Packung Leckerlis",
    ),
  },
};
