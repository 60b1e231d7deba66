/** Variables of piveau, the platform that this one replaces: named in a warning at the start, never read. */

/** Name after `PIVEAU_` → variables that replace it, where it is not the same name after `PLATFORM_`. */
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
 * One warning for each `PIVEAU_*` variable that is set, 50 at most: which variable replaces it, or that none does. `known`: names
 * of all variables of this platform.
 */
export function piveauWarnings(
  env: Readonly<Record<string, string | undefined>>,
  known: ReadonlySet<string>,
): string[] {
  const piveauNames = Object.keys(env).filter((name) => name.startsWith(prefix) && env[name])
  return piveauNames
    .toSorted()
    .slice(0, mostWarnings)
    .map((name) => {
      const suffix = name.slice(prefix.length)
      const sameName = `PLATFORM_${suffix}`
      const replacement = names[suffix] ?? (known.has(sameName) ? sameName : undefined)
      return replacement === undefined
        ? `${name} is not read: nothing here has its effect`
        : `${name} is not read: set ${replacement}`
    })
}
