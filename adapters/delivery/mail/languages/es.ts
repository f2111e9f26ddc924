import type { MailTexts } from "./texts.js";

export const es: MailTexts = {
  subject: "Tu tarjeta: {card}",
  greeting: "Hola, {name}:",
  namelessGreeting: "Hola:",
  yourCard: "Aquí está tu tarjeta. Guarda este correo: su enlace lleva a tu tarjeta en cualquier momento.",
  askedAgain: "Se ha pedido una tarjeta con tu dirección de correo. Ya tienes una, y aquí está.",
  open: "Abrir tu tarjeta",
  why: "Recibes este correo porque se indicó tu dirección para esta tarjeta. ¿No fuiste tú? Abre la tarjeta y di allí que no te escribamos más.",
  followLink: "Más información",
  whyNews: "Recibes este correo porque aceptaste recibir novedades por correo electrónico.",
  whyTest: "Este correo es una prueba que solo se te ha enviado a ti.",
  invitationSubject: "Tu acceso a {shop}",
  invitation: "Te han invitado a trabajar con {shop}. Abre este enlace para iniciar sesión:",
  signInSubject: "Tu enlace para iniciar sesión",
  signInAsked:
    "Alguien, probablemente tú, quiere iniciar sesión con esta dirección. Abre el enlace para continuar:",
  signIn: "Iniciar sesión",
  linkOnce:
    "El enlace sirve una vez y solo durante {time}. Si no esperabas este correo, no hagas nada: sin el enlace nadie puede entrar.",
  threeDays: "tres días",
  fifteenMinutes: "15 minutos",
  passkeySubject: "Una nueva llave de acceso para {shop}",
  passkeyAdded:
    "Se ha añadido una llave de acceso a tu acceso a {shop}. Quien tenga el dispositivo inicia sesión con ella.",
  passkeyUnknown:
    "Si has sido tú, no hagas nada. Si no, inicia sesión y pulsa «Sign out on every device» en los ajustes: eso elimina también todas las llaves de acceso.",
};
