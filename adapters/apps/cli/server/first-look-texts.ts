/** Title and text for one step of the first look. */
export interface StepText {
  readonly title: string;
  readonly text: string;
}

/** UI text for the first look in one language. */
export interface FirstLookTexts {
  readonly title: string;
  readonly intro: string;
  /** The texts for the five steps, in order: console, sign-up page, till, segments, messages. */
  readonly steps: readonly [StepText, StepText, StepText, StepText, StepText];
  readonly go: string;
  readonly empty: string;
  readonly emptyText: string;
  readonly close: string;
  readonly emptied: string;
  readonly emptiedText: string;
  readonly open: string;
  readonly back: string;
  readonly toConsole: string;
}

const en: FirstLookTexts = {
  title: "A first look in five steps",
  intro: "This is a café after its first month. Its customers, cards and stamps are made up.",
  steps: [
    {
      title: "See how the month went",
      text: "The overview counts stamps, rewards and new customers day by day.",
    },
    { title: "Become a customer", text: "Sign up as a guest would with the poster, and your card opens." },
    { title: "Give a stamp", text: "Find your card at the till by name, and add a stamp." },
    { title: "See who has stayed away", text: "Create a segment of customers without a visit in 30 days." },
    { title: "Write to them", text: "Send them a message. The mail stays in the demo mailbox." },
  ],
  go: "Try it",
  empty: "Start empty",
  emptyText: "Create your own shop without customers. The café stays as it is.",
  close: "Close the first look for good",
  emptied: "Your shop is ready",
  emptiedText: "Save this API token. You need it to sign in, and it's shown only now:",
  open: "Open your shop",
  back: "Back to the first look",
  toConsole: "Back to the console",
};

const de: FirstLookTexts = {
  title: "Ein erster Blick in fünf Schritten",
  intro: "Das ist ein Café nach einem Monat: Gäste, Karten und Stempel sind erfunden.",
  steps: [
    {
      title: "Sehen, wie der Monat war",
      text: "Die Übersicht zählt Stempel, Prämien und neue Gäste Tag für Tag.",
    },
    {
      title: "Selbst Gast werden",
      text: "Melde dich an wie ein Gast am Plakat, und deine Karte öffnet sich.",
    },
    {
      title: "Einen Stempel geben",
      text: "Finde deine Karte an der Kasse über deinen Namen und stemple sie.",
    },
    { title: "Fragen, wer wegbleibt", text: "Mach ein Segment aus allen, die seit 30 Tagen nicht da waren." },
    { title: "Ihnen schreiben", text: "Schick ihnen eine Nachricht. Die Mail bleibt im Postfach der Demo." },
  ],
  go: "Dorthin",
  empty: "Leer anfangen",
  emptyText: "Mach einen eigenen Laden ohne Gäste. Das Café bleibt, wie es ist.",
  close: "Den ersten Blick für immer schließen",
  emptied: "Dein Laden ist bereit",
  emptiedText: "Bewahre diesen Schlüssel auf. Du meldest dich damit an, und er steht nur jetzt hier:",
  open: "Den Laden öffnen",
  back: "Zurück zum ersten Blick",
  toConsole: "Zurück zur Konsole",
};

const fr: FirstLookTexts = {
  title: "Un premier regard en cinq étapes",
  intro: "Voici un café après un mois : ses clients, ses cartes et ses tampons sont inventés.",
  steps: [
    {
      title: "Voir le mois écoulé",
      text: "L’aperçu compte les tampons, les récompenses et les nouveaux clients, jour par jour.",
    },
    {
      title: "Devenir client",
      text: "Inscrivez-vous comme un client devant l’affiche : votre carte s’ouvre.",
    },
    {
      title: "Donner un tampon",
      text: "Cherchez votre carte à la caisse par votre nom, et ajoutez un tampon.",
    },
    { title: "Trouver les absents", text: "Créez un segment de ceux qui ne sont pas venus depuis 30 jours." },
    {
      title: "Leur écrire",
      text: "Envoyez-leur un message. Le courriel reste dans la boîte de la démonstration.",
    },
  ],
  go: "Y aller",
  empty: "Commencer à vide",
  emptyText: "Créez votre boutique sans clients. Le café reste tel quel.",
  close: "Fermer le premier regard pour toujours",
  emptied: "Votre boutique est prête",
  emptiedText: "Gardez ce jeton. Il sert à vous connecter et n’est affiché que maintenant :",
  open: "Ouvrir la boutique",
  back: "Retour au premier regard",
  toConsole: "Retour à la console",
};

const es: FirstLookTexts = {
  title: "Un primer vistazo en cinco pasos",
  intro: "Esta es una cafetería después de un mes: los clientes, las tarjetas y los sellos son inventados.",
  steps: [
    {
      title: "Ver cómo fue el mes",
      text: "El resumen cuenta sellos, premios y clientes nuevos día a día.",
    },
    { title: "Hacerte cliente", text: "Regístrate como un cliente ante el cartel y se abre tu tarjeta." },
    { title: "Dar un sello", text: "Busca tu tarjeta en la caja por tu nombre y añade un sello." },
    {
      title: "Preguntar quién no viene",
      text: "Crea un segmento de quienes no han venido en los últimos 30 días.",
    },
    { title: "Escribirles", text: "Envíales un mensaje. El correo se queda en el buzón de la demostración." },
  ],
  go: "Ir",
  empty: "Empezar de cero",
  emptyText: "Crea una tienda propia sin clientes. La cafetería queda como está.",
  close: "Cerrar el primer vistazo para siempre",
  emptied: "Tu tienda está lista",
  emptiedText: "Guarda este token. Con él inicias sesión y solo se muestra ahora:",
  open: "Abrir la tienda",
  back: "Volver al primer vistazo",
  toConsole: "Volver a la consola",
};

const pt: FirstLookTexts = {
  title: "Um primeiro olhar em cinco passos",
  intro: "Este é um café depois de um mês: os clientes, os cartões e os carimbos são inventados.",
  steps: [
    {
      title: "Ver como foi o mês",
      text: "O resumo conta carimbos, prémios e clientes novos dia a dia.",
    },
    {
      title: "Tornar-se cliente",
      text: "Inscreva-se como um cliente diante do cartaz e o seu cartão abre-se.",
    },
    { title: "Dar um carimbo", text: "Procure o seu cartão na caixa pelo nome e junte um carimbo." },
    { title: "Perguntar quem não vem", text: "Crie um segmento de quem não vem há 30 dias." },
    { title: "Escrever-lhes", text: "Envie-lhes uma mensagem. O e-mail fica na caixa da demonstração." },
  ],
  go: "Ir",
  empty: "Começar do zero",
  emptyText: "Crie uma loja sua sem clientes. O café fica como está.",
  close: "Fechar o primeiro olhar para sempre",
  emptied: "A sua loja está pronta",
  emptiedText: "Guarde este token. Serve para entrar e só é mostrado agora:",
  open: "Abrir a loja",
  back: "Voltar ao primeiro olhar",
  toConsole: "Voltar à consola",
};

/** UI texts for the first look, keyed by language. They cover the languages of the customer pages. */
export const firstLookTexts: Readonly<Record<string, FirstLookTexts>> = { en, de, fr, es, pt };

/** Returns the texts in the given language, or in English if the language isn't available. */
export function getFirstLookTexts(language: string): FirstLookTexts {
  return firstLookTexts[language] ?? en;
}
