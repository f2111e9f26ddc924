export interface StepText {
  readonly title: string;
  readonly text: string;
}

export interface FirstLookTexts {
  readonly title: string;
  readonly intro: string;
  /** The text for each of the five steps, in order: console, sign-up page, till, segments, messages. */
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
  intro: "This demo shows a café after its first month. Its customers, cards and stamps are made up.",
  steps: [
    {
      title: "See how the month went",
      text: "The overview shows stamps, rewards and new customers for each day.",
    },
    {
      title: "Become a customer",
      text: "Sign up the way a customer would with the poster, and your card opens.",
    },
    { title: "Add a stamp", text: "Look up your card at the till by your name and add a stamp." },
    {
      title: "See who hasn’t come back",
      text: "Create a segment of customers who haven’t visited in 30 days.",
    },
    { title: "Message your customers", text: "Send them a message. The emails stay in the demo mailbox." },
  ],
  go: "Try it",
  empty: "Start from scratch",
  emptyText: "Create your own empty shop. The café isn’t affected.",
  close: "Close the first look permanently",
  emptied: "Your shop is ready",
  emptiedText: "Save this API token now. You need it to sign in, and it won’t be shown again:",
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
      text: "Such deine Karte an der Kasse über deinen Namen und gib einen Stempel.",
    },
    {
      title: "Sehen, wer wegbleibt",
      text: "Leg ein Segment aus allen an, die seit 30 Tagen nicht da waren.",
    },
    { title: "Ihnen schreiben", text: "Schick ihnen eine Nachricht. Die E-Mails bleiben im Demo-Postfach." },
  ],
  go: "Dorthin",
  empty: "Leer anfangen",
  emptyText: "Leg deinen eigenen Laden ohne Gäste an. Das Café bleibt, wie es ist.",
  close: "Den ersten Blick für immer schließen",
  emptied: "Dein Laden ist bereit",
  emptiedText: "Bewahre dieses API-Token auf. Du brauchst es zum Anmelden, und es wird nur jetzt angezeigt:",
  open: "Den Laden öffnen",
  back: "Zurück zum ersten Blick",
  toConsole: "Zurück zur Konsole",
};

const fr: FirstLookTexts = {
  title: "Un premier aperçu en cinq étapes",
  intro: "Voici un café après un mois : ses clients, ses cartes et ses tampons sont inventés.",
  steps: [
    {
      title: "Voir le mois écoulé",
      text: "L’aperçu affiche les tampons, les récompenses et les nouveaux clients, jour par jour.",
    },
    {
      title: "Devenir client",
      text: "Inscrivez-vous comme un client le ferait avec l’affiche, et votre carte s’ouvre.",
    },
    {
      title: "Donner un tampon",
      text: "Cherchez votre carte à la caisse par votre nom, et ajoutez un tampon.",
    },
    {
      title: "Trouver les absents",
      text: "Créez un segment des clients qui ne sont pas venus depuis 30 jours.",
    },
    {
      title: "Leur écrire",
      text: "Envoyez-leur un message. Les e-mails restent dans la boîte de démonstration.",
    },
  ],
  go: "Y aller",
  empty: "Partir de zéro",
  emptyText: "Créez votre propre boutique, sans clients. Le café reste tel quel.",
  close: "Fermer définitivement le premier aperçu",
  emptied: "Votre boutique est prête",
  emptiedText: "Conservez ce jeton d’API. Il sert à vous connecter et ne sera plus affiché :",
  open: "Ouvrir la boutique",
  back: "Retour au premier aperçu",
  toConsole: "Retour à la console",
};

const es: FirstLookTexts = {
  title: "Un primer vistazo en cinco pasos",
  intro: "Esta es una cafetería después de un mes: los clientes, las tarjetas y los sellos son inventados.",
  steps: [
    {
      title: "Ver cómo fue el mes",
      text: "El resumen muestra los sellos, los premios y los clientes nuevos de cada día.",
    },
    {
      title: "Hacerte cliente",
      text: "Regístrate como lo haría un cliente con el cartel y se abrirá tu tarjeta.",
    },
    { title: "Dar un sello", text: "Busca tu tarjeta en la caja por tu nombre y añade un sello." },
    {
      title: "Ver quién ya no viene",
      text: "Crea un segmento con los clientes que no han venido en los últimos 30 días.",
    },
    {
      title: "Escribirles",
      text: "Envíales un mensaje. Los correos se quedan en el buzón de la demostración.",
    },
  ],
  go: "Ir",
  empty: "Empezar de cero",
  emptyText: "Crea tu propia tienda, sin clientes. La cafetería se queda como está.",
  close: "Cerrar el primer vistazo definitivamente",
  emptied: "Tu tienda está lista",
  emptiedText: "Guarda este token de API. Lo necesitas para iniciar sesión y no se volverá a mostrar:",
  open: "Abrir la tienda",
  back: "Volver al primer vistazo",
  toConsole: "Volver a la consola",
};

const pt: FirstLookTexts = {
  title: "Uma primeira visita em cinco passos",
  intro: "Este é um café depois de um mês: os clientes, os cartões e os carimbos são inventados.",
  steps: [
    {
      title: "Ver como foi o mês",
      text: "O resumo mostra os carimbos, os prémios e os novos clientes de cada dia.",
    },
    {
      title: "Tornar-se cliente",
      text: "Inscreva-se como faria um cliente com o cartaz e o seu cartão abre-se.",
    },
    { title: "Dar um carimbo", text: "Procure o seu cartão na caixa pelo nome e adicione um carimbo." },
    { title: "Ver quem deixou de vir", text: "Crie um segmento com os clientes que não vêm há 30 dias." },
    { title: "Escrever-lhes", text: "Envie-lhes uma mensagem. Os e-mails ficam na caixa de demonstração." },
  ],
  go: "Ir",
  empty: "Começar do zero",
  emptyText: "Crie a sua própria loja, sem clientes. O café fica como está.",
  close: "Fechar definitivamente a primeira visita",
  emptied: "A sua loja está pronta",
  emptiedText: "Guarde este token de API. Precisa dele para iniciar sessão e não voltará a ser mostrado:",
  open: "Abrir a loja",
  back: "Voltar à primeira visita",
  toConsole: "Voltar à consola",
};

/** UI text for the first look, keyed by language. Covers every language of the customer pages. */
export const firstLookTexts: Readonly<Record<string, FirstLookTexts>> = { en, de, fr, es, pt };

/** Returns the texts in the given language, or in English if the language isn't available. */
export function getFirstLookTexts(language: string): FirstLookTexts {
  return firstLookTexts[language] ?? en;
}
