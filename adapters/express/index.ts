export { loyaltyRouter } from "./loyalty-router.js";
