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
      text: "Sign up the way a customer would from the poster, and your card will open.",
    },
    { title: "Add a stamp", text: "Look up your card at the till by your name and add a stamp." },
    {
      title: "See who hasn’t come back",
      text: "Create a segment of customers who haven’t visited in 30 days.",
    },
    { title: "Message your customers", text: "Send them a message. Emails stay in the demo mailbox." },
  ],
  go: "Try it",
  empty: "Start from scratch",
  emptyText: "Create your own empty shop. The café isn’t affected.",
  close: "Hide this tour permanently",
  emptied: "Your shop is ready",
  emptiedText: "Save this API token now. You need it to sign in, and it won’t be shown again:",
  open: "Open your shop",
  back: "Back to the tour",
  toConsole: "Back to the console",
};

const de: FirstLookTexts = {
  title: "Einführung in fünf Schritten",
  intro: "Diese Demo zeigt ein Café nach dem ersten Monat. Gäste, Karten und Stempel sind erfunden.",
  steps: [
    {
      title: "Den Monat im Überblick sehen",
      text: "Die Übersicht zeigt Stempel, Prämien und neue Gäste für jeden Tag.",
    },
    {
      title: "Selbst Gast werden",
      text: "Melde dich an, wie es ein Gast über das Plakat tun würde. Danach öffnet sich deine Karte.",
    },
    {
      title: "Einen Stempel geben",
      text: "Such an der Kasse mit deinem Namen nach deiner Karte und gib einen Stempel.",
    },
    {
      title: "Sehen, wer nicht mehr kommt",
      text: "Leg ein Segment mit allen Gästen an, die seit 30 Tagen nicht da waren.",
    },
    {
      title: "Deinen Gästen schreiben",
      text: "Schick ihnen eine Nachricht. Die E-Mails bleiben im Demo-Postfach.",
    },
  ],
  go: "Ausprobieren",
  empty: "Bei null anfangen",
  emptyText: "Leg deinen eigenen, leeren Laden an. Das Café bleibt unverändert.",
  close: "Einführung dauerhaft ausblenden",
  emptied: "Dein Laden ist bereit",
  emptiedText:
    "Speichere dieses API-Token jetzt. Du brauchst es zum Anmelden, und es wird nicht noch einmal angezeigt:",
  open: "Laden öffnen",
  back: "Zurück zur Einführung",
  toConsole: "Zurück zur Konsole",
};

const fr: FirstLookTexts = {
  title: "Visite guidée en cinq étapes",
  intro:
    "Cette démonstration présente un café après son premier mois. Ses clients, ses cartes et ses tampons sont fictifs.",
  steps: [
    {
      title: "Voir le bilan du mois",
      text: "L’aperçu affiche les tampons, les récompenses et les nouveaux clients, jour par jour.",
    },
    {
      title: "Devenir client",
      text: "Inscrivez-vous comme un client le ferait depuis l’affiche : votre carte s’ouvre ensuite.",
    },
    {
      title: "Ajouter un tampon",
      text: "À la caisse, recherchez votre carte par votre nom et ajoutez un tampon.",
    },
    {
      title: "Voir qui ne vient plus",
      text: "Créez un segment avec les clients qui ne sont pas venus depuis 30 jours.",
    },
    {
      title: "Écrire à vos clients",
      text: "Envoyez-leur un message. Les e-mails restent dans la boîte de démonstration.",
    },
  ],
  go: "Essayer",
  empty: "Partir de zéro",
  emptyText: "Créez votre propre boutique, vide. Le café n’est pas modifié.",
  close: "Ne plus afficher la visite guidée",
  emptied: "Votre boutique est prête",
  emptiedText:
    "Enregistrez ce jeton d’API maintenant. Il vous servira à vous connecter et ne sera plus affiché :",
  open: "Ouvrir votre boutique",
  back: "Retour à la visite guidée",
  toConsole: "Retour à la console",
};

const es: FirstLookTexts = {
  title: "Visita guiada en cinco pasos",
  intro:
    "Esta demostración muestra una cafetería después de su primer mes. Los clientes, las tarjetas y los sellos son ficticios.",
  steps: [
    {
      title: "Ver cómo fue el mes",
      text: "El resumen muestra los sellos, los premios y los clientes nuevos de cada día.",
    },
    {
      title: "Hacerte cliente",
      text: "Regístrate como lo haría un cliente desde el cartel y se abrirá tu tarjeta.",
    },
    { title: "Añadir un sello", text: "En la caja, busca tu tarjeta por tu nombre y añade un sello." },
    {
      title: "Ver quién ya no viene",
      text: "Crea un segmento con los clientes que no han venido en los últimos 30 días.",
    },
    {
      title: "Escribir a tus clientes",
      text: "Envíales un mensaje. Los correos se quedan en el buzón de la demostración.",
    },
  ],
  go: "Probar",
  empty: "Empezar de cero",
  emptyText: "Crea tu propia tienda vacía. La cafetería no cambia.",
  close: "No volver a mostrar la visita guiada",
  emptied: "Tu tienda está lista",
  emptiedText: "Guarda ahora este token de API. Lo necesitas para iniciar sesión y no se volverá a mostrar:",
  open: "Abrir tu tienda",
  back: "Volver a la visita guiada",
  toConsole: "Volver a la consola",
};

const pt: FirstLookTexts = {
  title: "Visita guiada em cinco passos",
  intro:
    "Esta demonstração mostra um café depois do primeiro mês. Os clientes, os cartões e os carimbos são fictícios.",
  steps: [
    {
      title: "Ver como foi o mês",
      text: "O resumo mostra os carimbos, os prémios e os novos clientes de cada dia.",
    },
    {
      title: "Tornar-se cliente",
      text: "Inscreva-se como faria um cliente a partir do cartaz e o seu cartão abre-se.",
    },
    {
      title: "Adicionar um carimbo",
      text: "Na caixa, procure o seu cartão pelo nome e adicione um carimbo.",
    },
    {
      title: "Ver quem deixou de vir",
      text: "Crie um segmento com os clientes que não vêm há mais de 30 dias.",
    },
    {
      title: "Escrever aos seus clientes",
      text: "Envie-lhes uma mensagem. Os e-mails ficam na caixa de demonstração.",
    },
  ],
  go: "Experimentar",
  empty: "Começar do zero",
  emptyText: "Crie a sua própria loja vazia. O café não é alterado.",
  close: "Não voltar a mostrar a visita guiada",
  emptied: "A sua loja está pronta",
  emptiedText: "Guarde já este token de API. Precisa dele para iniciar sessão e não voltará a ser mostrado:",
  open: "Abrir a sua loja",
  back: "Voltar à visita guiada",
  toConsole: "Voltar à consola",
};

/** UI text for the first look, keyed by language. Covers every language of the customer pages. */
export const firstLookTexts: Readonly<Record<string, FirstLookTexts>> = { en, de, fr, es, pt };

/** Returns the UI text in the given language, or in English if the language isn't available. */
export function getFirstLookTexts(language: string): FirstLookTexts {
  return firstLookTexts[language] ?? en;
}
