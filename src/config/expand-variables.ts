// Expands `${NAME}` and `${NAME:-default}` in variables and headers of the configuration.

/** Throws if a variable without a default is not set. */
export function expandVariables(
  templates: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(templates).map(([key, template]) => [
      key,
      template.replaceAll(/\$\{(\w+)(?::-([^}]*))?\}/g, (_whole, name: string, otherwise?: string) => {
        const value = env[name] || otherwise;
        if (value === undefined) throw new Error(`it needs the variable ${name}, which is not set`);
        return value;
      }),
    ]),
  );
}
