/** Variables of the platform that this one is compatible with: named in a warning, never read (reference: moving in, 2.1). */

/** Where a variable has another name here than with `PLATFORM_` in the place of `PIVEAU_`. */
const names: Readonly<Record<string, string>> = {
  HUB_API_KEY: 'PLATFORM_HUB_API_KEYS',
  HUB_APIKEY: 'PLATFORM_HUB_API_KEYS',
  HUB_SEARCH_API_KEY: 'PLATFORM_HUB_API_KEYS',
  HUB_BASE_URI: 'PLATFORM_BASE_URI',
  DCATAP_SCHEMA_CONFIG: 'PLATFORM_BASE_URI and PLATFORM_IRI_SEGMENTS',
  HUB_SERVICE_PORT: 'PLATFORM_PORT',
  HUB_SEARCH_SERVICE_PORT: 'PLATFORM_PORT',
  HUB_SEARCH_ES_CONFIG: 'PLATFORM_SEARCH_CONFIG',
  HUB_SEARCH_FEED_CONFIG: 'PLATFORM_SEARCH_CONFIG',
  HUB_SEARCH_SITEMAP_CONFIG: 'PLATFORM_SEARCH_CONFIG',
  SHELL_CONFIG: 'PLATFORM_HUB_SHELL_CONFIG',
  HUB_SEARCH_CLI_CONFIG: 'PLATFORM_HUB_SHELL_CONFIG',
  HUB_CORS_DOMAINS: 'PLATFORM_CORS_ORIGINS',
  PIPE_LOG_LEVEL: 'PLATFORM_LOG_LEVEL',
  HUB_AUTHORIZATION_PROCESS_DATA: 'PLATFORM_PORTAL_CONFIG (signIn.oidc)',
}

const prefix = 'PIVEAU_'
const mostWarnings = 50

/**
 * One warning for each `PIVEAU_*` variable that is set, 50 at most: which variable replaces it, or that none does. `known`: names of
 * all variables of this platform.
 */
export function piveauWarnings(
  env: Readonly<Record<string, string | undefined>>,
  known: ReadonlySet<string>,
): string[] {
  const given = Object.keys(env).filter((name) => name.startsWith(prefix) && env[name])
  return given
    .toSorted()
    .slice(0, mostWarnings)
    .map((name) => {
      const rest = name.slice(prefix.length)
      const same = `PLATFORM_${rest}`
      const own = names[rest] ?? (known.has(same) ? same : undefined)
      return own === undefined
        ? `${name} is not read: nothing here has its effect`
        : `${name} is not read: set ${own}`
    })
}
