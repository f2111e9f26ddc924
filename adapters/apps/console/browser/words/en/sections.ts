/** The names of the console's sections, as shown in the navigation. */
export const sections = {
  overview: "Overview",
  customers: "Customers",
  purchases: "Purchases",
  segments: "Segments",
  messages: "Messages",
  automations: "Automations",
  cards: "Cards",
  till: "Till",
};

export const settingsTabs = {
  shop: "Shop",
  people: "Team",
  mail: "Email",
  messages: "Messages",
  timeZone: "Time zone",
  wallets: "Wallets",
  trail: "Change history",
  signIn: "Sign-in",
  server: "Server",
};

export const developersTabs = {
  tokens: "API tokens",
  webhooks: "Webhooks",
  apps: "Apps",
  events: "Events",
};
