/** The environment in which Cadre runs. It contains no API key of a provider, so the examples cost nothing. */
export const ENVIRONMENT = { CADRE_TRUST: "1" };
