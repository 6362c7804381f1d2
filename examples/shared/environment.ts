/** The environment for Cadre. It contains no provider key, so the examples cost nothing. */
export const ENVIRONMENT = { CADRE_TRUST: "1" };
