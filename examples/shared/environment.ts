/** For Cadre itself. No provider's key is handed on: nothing here can cost anything. */
export const ENVIRONMENT = { CADRE_TRUST: "1" };
