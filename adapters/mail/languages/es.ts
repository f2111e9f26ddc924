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
};
