/** Default text for everything that a design leaves out. `{count}` stands for a number. */
const english = {
  stampsLabel: "Stamps",
  rewardsLabel: "Rewards",
  nextLabel: "Next reward",
  rewardLabel: "Reward for a full card",
  termsLabel: "Terms",
  revoked: "This card is no longer valid",
  toGo: "{count} more to go",
  rewardReady: "A reward is waiting for you",
  newsLabel: "News",
  noNews: "Nothing new right now",
};

const wordsByLanguage: Readonly<Record<string, typeof english>> = {
  en: english,
  de: {
    stampsLabel: "Stempel",
    rewardsLabel: "Prämien",
    nextLabel: "Nächste Prämie",
    rewardLabel: "Eine volle Karte bringt",
    termsLabel: "Bedingungen",
    revoked: "Diese Karte gilt nicht mehr",
    toGo: "noch {count}",
    rewardReady: "Eine Prämie wartet auf dich",
    newsLabel: "Aktuelles",
    noNews: "Zurzeit nichts Neues",
  },
  fr: {
    stampsLabel: "Tampons",
    rewardsLabel: "Récompenses",
    nextLabel: "Prochaine récompense",
    rewardLabel: "Une carte pleine donne",
    termsLabel: "Conditions",
    revoked: "Cette carte n’est plus valable",
    toGo: "encore {count}",
    rewardReady: "Une récompense vous attend",
    newsLabel: "Actualités",
    noNews: "Rien de nouveau pour le moment",
  },
  es: {
    stampsLabel: "Sellos",
    rewardsLabel: "Premios",
    nextLabel: "Próximo premio",
    rewardLabel: "Una tarjeta completa da",
    termsLabel: "Condiciones",
    revoked: "Esta tarjeta ya no es válida",
    toGo: "faltan {count}",
    rewardReady: "Te espera un premio",
    newsLabel: "Novedades",
    noNews: "Sin novedades por ahora",
  },
  it: {
    stampsLabel: "Timbri",
    rewardsLabel: "Premi",
    nextLabel: "Prossimo premio",
    rewardLabel: "Una tessera piena vale",
    termsLabel: "Condizioni",
    revoked: "Questa carta non è più valida",
    toGo: "ancora {count}",
    rewardReady: "Ti aspetta un premio",
    newsLabel: "Novità",
    noNews: "Nessuna novità al momento",
  },
  nl: {
    stampsLabel: "Stempels",
    rewardsLabel: "Beloningen",
    nextLabel: "Volgende beloning",
    rewardLabel: "Een volle kaart levert op",
    termsLabel: "Voorwaarden",
    revoked: "Deze kaart is niet meer geldig",
    toGo: "nog {count}",
    rewardReady: "Er wacht een beloning op je",
    newsLabel: "Nieuws",
    noNews: "Op dit moment geen nieuws",
  },
  pt: {
    stampsLabel: "Carimbos",
    rewardsLabel: "Prémios",
    nextLabel: "Próximo prémio",
    rewardLabel: "Um cartão completo dá",
    termsLabel: "Condições",
    revoked: "Este cartão já não é válido",
    toGo: "faltam {count}",
    rewardReady: "Um prémio espera por si",
    newsLabel: "Novidades",
    noNews: "Sem novidades de momento",
  },
  pl: {
    stampsLabel: "Pieczątki",
    rewardsLabel: "Nagrody",
    nextLabel: "Następna nagroda",
    rewardLabel: "Pełna karta daje",
    termsLabel: "Warunki",
    revoked: "Ta karta jest już nieważna",
    toGo: "jeszcze {count}",
    rewardReady: "Nagroda czeka",
    newsLabel: "Aktualności",
    noNews: "Na razie nic nowego",
  },
};

/**
 * Returns the built-in text for a language, falling back to English if it hasn't been translated into that language.
 * @param language a BCP 47 language tag.
 */
export function findWords(language: string): typeof english {
  return wordsByLanguage[language.slice(0, 2)] ?? english;
}
