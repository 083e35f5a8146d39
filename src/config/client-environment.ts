/** What a command that is a client of a service takes from the environment, since arguments are no place for secrets. */
export interface ClientEnvironment {
  readonly API_KEY: string | undefined;
  readonly ANIMAL_STORE_URL: string | undefined;
  readonly RELAY_SECRET: string | undefined;
}

/** Reads it; a variable that is set and empty counts as unset. */
export function clientEnvironment(): ClientEnvironment {
  const { API_KEY, ANIMAL_STORE_URL, RELAY_SECRET } = process.env;
  return {
    API_KEY: API_KEY || undefined,
    ANIMAL_STORE_URL: ANIMAL_STORE_URL || undefined,
    RELAY_SECRET: RELAY_SECRET || undefined,
  };
}
