export { type LoyaltyRouter, loyaltyRouter } from "./loyalty-router.js";
